package io.understudy.remote;

import io.understudy.base.JsonReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Why a request to an admin endpoint came to nothing, as a sentence: what, where, and what to do. */
final class AdminRefusal {
    private static final String RUNS = "; check that the proxy runs, and that this is its admin.address";
    private static final String NOT_IT = "check that this is the proxy's admin.address";
    /** The plugins that publish views, actions and streams, by the first segment of the path. */
    private static final Map<String, String> PLUGINS = Map.of(
            "mirror", "mirror",
            "commits", "commit-latency",
            "domains", "gtid-domain",
            "steering", "gtid-domain",
            "digests", "query-log",
            "slowlog", "query-log",
            "capture", "capture",
            "lost", "black-box");

    private AdminRefusal() {}

    /** Returns the error of a request without a response in HTTP. */
    static IOException noResponse(String where, IOException e) {
        return new IOException("no response from " + where + ": " + reason(e), e);
    }

    private static String reason(IOException e) {
        String message = e.getMessage();
        // java.net.http wraps it in a ConnectException, which may have another one as its cause.
        for (Throwable each = e; each != null; each = each.getCause()) {
            if (each instanceof UnknownHostException || each instanceof UnresolvedAddressException) {
                return "its host name is not known";
            }
        }
        if (e instanceof HttpTimeoutException) {
            return message + "; the proxy is busy, or another program has that port: " + NOT_IT;
        }
        if (e instanceof ConnectException || e instanceof NoRouteToHostException) {
            return (message == null ? "the connection was refused" : message) + RUNS;
        }
        if (e instanceof EOFException || isNotHttp(String.valueOf(message))) {
            return "what listens there does not speak HTTP; clients' statements and the admin endpoint have different"
                    + " ports: " + NOT_IT;
        }
        for (Throwable each = e; each != null; each = each.getCause()) {
            boolean expired = each instanceof CertificateExpiredException;
            if (expired || each instanceof CertificateNotYetValidException) {
                return "it listens, and its certificate " + (expired ? "has expired" : "is not valid yet") + " ("
                        + each.getMessage()
                        + "). Renew it first: put the"
                        + " new certificate and its key into the files of admin.tls, of each proxy and of the file used"
                        + " here. A proxy that runs takes them within seconds, without a restart. Then repeat this";
            }
        }
        if (e instanceof SSLException) {
            return "it listens, and TLS with it fails: " + message + "; see admin.tls of its file, and --cacert";
        }
        return (message == null ? e.toString() : message) + RUNS;
    }

    /** By the texts of {@code java.net.http}, which has no types for these. */
    private static boolean isNotHttp(String message) {
        return message.contains("status line")
                || message.contains("header parser received no bytes")
                || message.contains("Unsupported or unrecognized SSL message");
    }

    /** Returns the error of a response with a status that is not 200. */
    static IOException of(String where, int status, String body) {
        Map<?, ?> refusal = object(body);
        String error = refusal == null ? null : (refusal.get("error") instanceof String text ? text : null);
        if (refusal == null || error == null) {
            return new IOException(where + " responded " + status + shortened(body)
                    + ", which is not the response of an" + " Understudy: " + NOT_IT);
        }
        if (status == 404) {
            boolean steers = String.valueOf(refusal.get("endpoints")).contains("/api/steering");
            return new IOException(missing(where, error, steers));
        }
        String remedy = status == 401 ? "; give it by -c FILE, or by --token-file FILE" : "";
        return new IOException(where + " responded " + status + ": " + error + remedy);
    }

    /** Returns the error of a response with status 200 that is not what was requested. */
    static IOException notUnderstudy(String where) {
        return new IOException(
                where + " responded with something else than JSON, so it is not an Understudy's: " + NOT_IT);
    }

    /** @param steers whether the plugin {@code gtid-domain} runs: without a domain it has one view less */
    private static String missing(String where, String error, boolean steers) {
        String path = where.replaceFirst("^[a-z]+://[^/]*/(?:api/)?", "").replaceFirst("[/?].*", "");
        String plugin = PLUGINS.get(path);
        if (steers && path.equals("domains")) {
            return where + " responded 404: the plugin gtid-domain runs there without a rule that has 'domain', so"
                    + " there is nothing to report; the first such rule takes effect after a restart";
        }
        return plugin == null
                ? where + " responded 404: " + error + "; is the proxy of another version?"
                : where + " responded 404: the plugin " + plugin + " is not configured there; add a section '" + plugin
                        + ":' below 'plugins:' in the proxy's file, which takes it over without a restart";
    }

    private static @Nullable Map<?, ?> object(String body) {
        try {
            return JsonReader.read(body) instanceof Map<?, ?> map ? map : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static String shortened(String body) {
        String line = body.strip().replaceAll("\\s+", " ");
        return line.isEmpty() ? "" : " (" + (line.length() > 60 ? line.substring(0, 60) + "…" : line) + ")";
    }
}
