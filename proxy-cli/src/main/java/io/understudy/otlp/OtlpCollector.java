package io.understudy.otlp;

import io.understudy.config.HttpUrl;
import io.understudy.config.OtlpConfig;
import io.understudy.config.OtlpTls;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** The HTTP client of one collector. Certificates are read by the first request. Must be used by one thread. */
final class OtlpCollector {
    private final OtlpConfig config;
    private @Nullable HttpClient client;

    OtlpCollector(OtlpConfig config) {
        this.config = config;
    }

    /**
     * Posts a request and waits for the response.
     *
     * @return what the collector has to say about metrics that it did not take, or an empty text
     * @throws CollectorException if it does not take them
     */
    String post(byte[] body, Duration timeout) throws CollectorException, InterruptedException {
        HttpUrl url = config.url();
        HttpRequest.Builder request = HttpRequest.newBuilder(url.uri())
                .header("Content-Type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        config.headers().forEach((name, value) -> request.setHeader(name, value.reveal()));
        HttpResponse<String> response = send(request.build(), timeout);
        if (response.statusCode() / 100 != 2) {
            throw new CollectorException(refusal(response, body.length));
        }
        return response.body();
    }

    private HttpResponse<String> send(HttpRequest request, Duration timeout)
            throws CollectorException, InterruptedException {
        CompletableFuture<HttpResponse<String>> sent = client().sendAsync(request, headers -> new ResponseStart());
        try {
            // The request's own timeout would not cover the response's body.
            return sent.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new CollectorException(
                    "no response within " + timeout.toMillis() + " ms; check the collector, and the firewall before it",
                    e);
        } catch (ExecutionException e) {
            throw new CollectorException(explain(e.getCause() == null ? e : e.getCause()), e);
        } finally {
            sent.cancel(true);
        }
    }

    private HttpClient client() throws CollectorException {
        if (client == null) {
            HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
            OtlpTls tls = config.tls();
            Path ca = tls == null ? null : tls.ca();
            if (ca != null) {
                builder.sslContext(trusting(ca));
            }
            client = builder.build();
        }
        return client;
    }

    private static SSLContext trusting(Path ca) throws CollectorException {
        try (InputStream in = Files.newInputStream(ca)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int count = 0;
            for (Certificate authority : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + count++, authority);
            }
            if (count == 0) {
                throw new IOException("it has no certificate");
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new CollectorException(
                    "metrics.otlp.tls.ca: " + ca + " cannot be used (" + e.getMessage()
                            + "); it must have certificates in PEM",
                    e);
        }
    }

    private static String explain(Throwable cause) {
        Throwable innermost = cause;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        if (innermost instanceof UnresolvedAddressException) {
            return "its host name is not known; check metrics.otlp.url";
        }
        if (cause instanceof SSLException) {
            return "TLS failed (" + innermost.getMessage()
                    + "); check metrics.otlp.tls.ca, and that the collector's certificate names this host";
        }
        if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
            String said = innermost.getMessage();
            return "no connection" + (said == null ? "" : " (" + said + ")")
                    + "; see that the collector runs, and that metrics.otlp.url is right";
        }
        return cause + "; check metrics.otlp.url and the collector's log";
    }

    private static String refusal(HttpResponse<String> response, int bytes) {
        int status = response.statusCode();
        String said = "status " + status + (response.body().isEmpty() ? "" : " (" + response.body() + ")");
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
