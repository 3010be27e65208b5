package io.understudy.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.understudy.base.RepeatedWarning;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log's lines about who changed the proxy, and who was not let. Thread-safe. */
final class AdminAudit {
    private static final Logger LOG = LoggerFactory.getLogger(AdminAudit.class);
    private static final int LONGEST_VALUE = 100;
    /** No action has such a parameter, but what a client sends by mistake is not for the log. */
    private static final Pattern SECRET = Pattern.compile("token|passw|secret|key|auth|credential");

    private final RepeatedWarning refusals = new RepeatedWarning(System::nanoTime);
    private final RepeatedWarning names = new RepeatedWarning(System::nanoTime);

    /** Called when the response to an action is known. */
    void acted(String path, Map<String, String> parameters, SocketAddress client, HttpResponseStatus status) {
        LOG.atInfo()
                .addKeyValue("client", client)
                .addKeyValue("status", status.code())
                .log("admin action {} {}", path, shown(parameters));
    }

    /** Called when an action has ended after its response. */
    void ended(String path, SocketAddress client, HttpResponseStatus status) {
        LOG.atInfo()
                .addKeyValue("client", client)
                .addKeyValue("status", status.code())
                .log("admin action {}, which went on after its response, has ended", path);
    }

    /** Called for a request without the token that it needs, or with a wrong one. */
    void refused(String path, SocketAddress client, AdminToken.Verdict verdict) {
        // By host: each attempt may come from another port.
        String host = client instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : String.valueOf(client);
        long suppressed = refusals.mayLog(host);
        if (suppressed < 0) {
            return;
        }
        String reason = switch (verdict) {
            case WRONG -> "a wrong token";
            case NOT_CONFIGURED -> "admin.token is not set";
            default -> "no token";
        };
        LOG.atWarn()
                .addKeyValue("client", client)
                .addKeyValue("reason", reason)
                .log(
                        "admin request {} refused: {}{}",
                        path,
                        reason,
                        suppressed == 0 ? "" : " (" + suppressed + " more from this host since the last such line)");
    }

    /** Called for a request whose Host header names another host. */
    void misdirected(@Nullable String name, SocketAddress client) {
        long suppressed = names.mayLog("host");
        if (suppressed < 0) {
            return;
        }
        LOG.atWarn()
                .addKeyValue("client", client)
                .log(
                        "admin request under the name {} refused; if that is this proxy, add it to admin.hosts{}",
                        name == null ? "none" : cut(name),
                        suppressed == 0 ? "" : " (" + suppressed + " more since the last such line)");
    }

    private static Map<String, String> shown(Map<String, String> parameters) {
        Map<String, String> shown = new LinkedHashMap<>();
        parameters.forEach((name, value) -> shown.put(
                cut(name), SECRET.matcher(name.toLowerCase(Locale.ROOT)).find() ? "?" : cut(value)));
        return shown;
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
    }
}
