package io.understudy.otlp;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.understudy.otlp.ResponseStart.Response;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;

/** Why a push failed, and what to do, for the log. */
final class CollectorFailures {
    private CollectorFailures() {}

    static String explain(Throwable failure) {
        Throwable cause =
                failure instanceof DecoderException && failure.getCause() != null ? failure.getCause() : failure;
        Throwable innermost = cause;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        if (cause instanceof UnknownHostException) {
            return "its host name is not known; check metrics.otlp.url";
        }
        if (cause instanceof NotSslRecordException) {
            return "it does not speak TLS; check whether metrics.otlp.url has to begin with http:";
        }
        if (cause instanceof SSLException) {
            return "TLS failed (" + innermost.getMessage()
                    + "); check metrics.otlp.tls.ca, and that the collector's certificate names this host";
        }
        if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
            return "no connection (" + cause.getMessage()
                    + "); see that the collector runs, and that metrics.otlp.url is right";
        }
        if (cause instanceof ProtocolException) {
            return "its response is not HTTP/1.1 (" + cause.getMessage()
                    + "); check that the port in metrics.otlp.url is one for OTLP over HTTP,"
                    + " and whether it needs https:";
        }
        return (cause.getMessage() == null ? cause : cause.getMessage())
                + "; check metrics.otlp.url and the collector's log";
    }

    static String refusal(Response response, int bytes) {
        int status = response.status();
        String said = "status " + status + (response.text().isEmpty() ? "" : " (" + response.text() + ")");
        String remedy = switch (status) {
            case 401, 403 -> "check metrics.otlp.headers";
            case 404, 405 -> "check the path in metrics.otlp.url: it is /v1/metrics for an OpenTelemetry collector";
            case 413 -> "raise the collector's limit above " + bytes + " bytes";
            case 429, 502, 503, 504 -> "it is overloaded or restarts; see its log";
            default -> status / 100 == 3 ? "name the new address in metrics.otlp.url" : "see the collector's log";
        };
        return said + "; " + remedy;
    }
}
