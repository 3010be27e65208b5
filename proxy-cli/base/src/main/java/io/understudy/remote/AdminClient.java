package io.understudy.remote;

import io.understudy.base.JsonReader;
import io.understudy.base.Secret;
import io.understudy.config.AdminConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Calls the admin endpoint of a running proxy. */
public final class AdminClient {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Kept, so that the connection stays open between requests. */
    private final HttpClient http;

    private final String base;
    private final @Nullable String token;
    private final @Nullable AdminTrust trust;
    private final Duration patience;

    /** @param address {@code host:port}, a host with the default port of the endpoint, or a complete URL */
    public AdminClient(String address, @Nullable String token) {
        this(address, token, null);
    }

    /**
     * @param address {@code host:port}, a host with the default port of the endpoint, or a complete URL
     * @param trust null: plain HTTP, or with an https URL the authorities of the Java runtime
     */
    public AdminClient(String address, @Nullable String token, @Nullable AdminTrust trust) {
        this(
                address.contains("://")
                        ? address.replaceAll("/+$", "")
                        : (trust == null ? "http://" : "https://") + withPort(address),
                token,
                trust,
                PATIENCE);
    }

    private AdminClient(String base, @Nullable String token, @Nullable AdminTrust trust, Duration patience) {
        this.base = base;
        this.token = token;
        this.trust = trust;
        this.patience = patience;
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(patience);
        if (trust != null) {
            builder.sslContext(trust.context());
        }
        this.http = builder.build();
    }

    private static String withPort(String address) {
        return address.matches(".*:[0-9]*") ? address : address + ":" + AdminConfig.DEFAULT_ADDRESS.port();
    }

    /** Returns a client that waits no longer than this for each response. */
    public AdminClient within(Duration most) {
        return new AdminClient(base, token, trust, most);
    }

    /** Returns a client of the endpoint that a configuration describes. */
    public static AdminClient of(AdminConfig config) throws IOException {
        Secret secret = config.token();
        return new AdminClient(
                config.address().toString(), secret == null ? null : secret.reveal(), AdminTrust.of(config));
    }

    /** Sends {@code GET /api/NAME}. */
    public Map<String, Object> view(String name) throws IOException, InterruptedException {
        return map(name, "GET");
    }

    /** Returns the readiness gate's report on a standby, whatever characters its name has. */
    public Map<String, Object> readiness(String standby) throws IOException, InterruptedException {
        String name = URLEncoder.encode(standby, StandardCharsets.UTF_8).replace("+", "%20");
        return view("standbys/" + name + "/readiness");
    }

    /**
     * Sends {@code GET /api/NAME} and returns any JSON value.
     *
     * @param patience maximum time until the response begins
     */
    public @Nullable Object value(String name, Duration patience) throws IOException, InterruptedException {
        String where = base + "/api/" + name;
        return json(where, whole(where, "GET", patience));
    }

    /** Sends {@code POST /api/NAME}, which requires the token. */
    public Map<String, Object> act(String name) throws IOException, InterruptedException {
        return map(name, "POST");
    }

    /** Sends {@code POST /api/NAME} and returns the body of the response as bytes. */
    public byte[] bytes(String name) throws IOException, InterruptedException {
        return whole(base + "/api/" + name, "POST", patience);
    }

    /** {@code GET /PATH}, an endless response; reading it fails when the proxy ends amid it. */
    public InputStream stream(String path) throws IOException, InterruptedException {
        String where = base + "/" + path;
        HttpResponse<InputStream> response = send(where, "GET", null, HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            byte[] error;
            try (InputStream body = response.body()) {
                error = body.readAllBytes();
            } catch (IOException e) {
                throw AdminRefusal.noResponse(where, e);
            }
            throw refusal(where, response.statusCode(), error);
        }
        return response.body();
    }

    /**
     * Returns whether nothing listens at the address, so that the proxy has ended. False if that is not known: a frozen
     * proxy, or its network, refuses nothing.
     */
    public boolean refusesConnections(Duration within) {
        URI at = URI.create(base);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(at.getHost(), at.getPort()), (int) within.toMillis());
            return false;
        } catch (ConnectException e) {
            // The type is that of other errors, too: an unreachable network, a connection that timed out.
            return String.valueOf(e.getMessage()).contains("refused");
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> map(String name, String method) throws IOException, InterruptedException {
        String where = base + "/api/" + name;
        if (!(json(where, whole(where, method, patience)) instanceof Map<?, ?> map)) {
            throw AdminRefusal.notUnderstudy(where);
        }
        return (Map<String, Object>) map;
    }

    private static @Nullable Object json(String where, byte[] body) throws IOException {
        try {
            return JsonReader.read(new String(body, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw AdminRefusal.notUnderstudy(where);
        }
    }

    private byte[] whole(String where, String method, Duration patience) throws IOException, InterruptedException {
        // Read by the client: an interrupt does not end the reading of a stream.
        HttpResponse<byte[]> response = send(where, method, patience, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw refusal(where, response.statusCode(), response.body());
        }
        return response.body();
    }

    private static IOException refusal(String where, int status, byte[] body) {
        return AdminRefusal.of(where, status, new String(body, StandardCharsets.UTF_8));
    }

    /** @param patience maximum time until the response begins; null for no limit */
    private <T> HttpResponse<T> send(
            String where, String method, @Nullable Duration patience, HttpResponse.BodyHandler<T> body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request;
        try {
            request = HttpRequest.newBuilder(URI.create(where));
        } catch (IllegalArgumentException e) {
            throw new IOException(base + " is not an address: expected HOST:PORT", e);
        }
        request.method(method, HttpRequest.BodyPublishers.noBody());
        if (patience != null) {
            request.timeout(patience);
        }
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            return http.send(request.build(), body);
        } catch (IOException e) {
            throw AdminRefusal.noResponse(where, e);
        }
    }
}
