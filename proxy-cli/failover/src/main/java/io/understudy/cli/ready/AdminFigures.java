package io.understudy.cli.ready;

import io.understudy.readiness.Known;
import io.understudy.readiness.ProxyFigures;
import io.understudy.remote.AdminClient;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the plugins of a running proxy have published, for the readiness gate of this process.
 *
 * @param until time of {@link System#nanoTime} by which it has to respond
 */
record AdminFigures(AdminClient proxy, long until) implements ProxyFigures.Source {
    @Override
    public @Nullable Object view(String name) throws IOException, InterruptedException {
        return proxy.value(name, left());
    }

    @Override
    public Known<Map<String, Object>> lost(String standby) throws InterruptedException {
        try {
            return ProxyFigures.lost(
                    proxy.within(left()).act("lost/look?on=" + URLEncoder.encode(standby, StandardCharsets.UTF_8)));
        } catch (IOException | IllegalStateException | IllegalArgumentException e) {
            return unknown(e);
        }
    }

    private Duration left() {
        return Duration.ofNanos(Math.max(1_000_000, until - System.nanoTime()));
    }

    /** Returns why a question to the admin endpoint came to nothing, by the client's error. */
    static Known<Map<String, Object>> unknown(Exception failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure.getCause() instanceof HttpTimeoutException) {
            return Known.unknown(
                    "the proxy did not respond within its share of --timeout",
                    "repeat this with a longer --timeout (up to 60s); if it stays, see whether the proxy hangs");
        } else if (failure.getCause() instanceof IOException) {
            return Known.unknown(
                    "the proxy was not asked: " + message, "start the proxy with this file, and repeat this");
        } else if (message.contains(" responded 401") || message.contains(" responded 403")) {
            return Known.unknown(
                    "the proxy refused the question: " + message.replaceFirst(";.*", ""),
                    "give the running proxy's token as admin.token in the file, and repeat this");
        }
        return Known.unknown("the proxy did not tell: " + message, "mend that, see the proxy's log, and repeat this");
    }
}
