package io.understudy.cli.report;

import io.understudy.cli.json.JsonReader;
import io.understudy.config.AdminConfig;
import io.understudy.config.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks a running proxy's admin endpoint. */
public final class AdminClient {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final String base;
    private final @Nullable String token;

    /** @param address {@code host:port} or a whole URL */
    public AdminClient(String address, @Nullable String token) {
        base = address.contains("://") ? address.replaceAll("/+$", "") : "http://" + address;
        this.token = token;
    }

    public static AdminClient of(AdminConfig config) {
        Secret secret = config.token();
        return new AdminClient(config.address().toString(), secret == null ? null : secret.reveal());
    }

    /** {@code /api/NAME}. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> view(String name) throws IOException, InterruptedException {
        String where = base + "/api/" + name;
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(where)).timeout(PATIENCE);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> response;
        try {
            response = HttpClient.newBuilder()
                    .connectTimeout(PATIENCE)
                    .build()
                    .send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IOException(
                    "no answer from " + where + ": " + e + "; is the proxy running, and is that its admin address?", e);
        }
        if (response.statusCode() != 200) {
            throw new IOException(where + " answered " + response.statusCode() + ": "
                    + response.body().strip()
                    + (response.statusCode() == 404 ? "; is the plugin configured there?" : ""));
        }
        if (!(JsonReader.read(response.body()) instanceof Map<?, ?> map)) {
            throw new IOException(where + " did not answer with a JSON object");
        }
        return (Map<String, Object>) map;
    }
}
