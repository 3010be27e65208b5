package io.understudy.it.legs;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Receives metrics by OTLP over HTTP, and decodes them with the classes that OpenTelemetry generates. */
final class OtlpCollectorServer implements AutoCloseable {
    private static final char[] NO_PASSWORD = new char[0];

    /** A request. */
    record Push(Headers headers, ExportMetricsServiceRequest metrics) {}

    private final HttpServer server;
    private final BlockingQueue<Push> pushes = new LinkedBlockingQueue<>();
    volatile int status = 200;

    /** @param certificates for HTTPS; null for HTTP */
    OtlpCollectorServer(@Nullable TestCertificates certificates) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (certificates == null) {
            server = HttpServer.create(address, 0);
        } else {
            HttpsServer encrypted = HttpsServer.create(address, 0);
            encrypted.setHttpsConfigurator(new HttpsConfigurator(context(certificates)));
            server = encrypted;
        }
        server.createContext("/v1/metrics", exchange -> {
            try (InputStream in = exchange.getRequestBody()) {
                byte[] body = in.readAllBytes();
                int response = status;
                exchange.sendResponseHeaders(response, -1);
                if (response == 200) {
                    pushes.add(new Push(exchange.getRequestHeaders(), decoded(body)));
                }
            } finally {
                exchange.close();
            }
        });
        server.start();
    }

    private static ExportMetricsServiceRequest decoded(byte[] body) throws IOException {
        try {
            return ExportMetricsServiceRequest.parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            throw new IOException(e);
        }
    }

    private static SSLContext context(TestCertificates files) throws Exception {
        Certificate[] chain;
        try (InputStream in = Files.newInputStream(files.certificate)) {
            chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(Certificate[]::new);
        }
        String pem = Files.readString(files.key).replaceAll("-----[A-Z ]+-----|\\s", "");
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "collector",
                KeyFactory.getInstance(chain[0].getPublicKey().getAlgorithm())
                        .generatePrivate(
                                new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem))),
                NO_PASSWORD,
                chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Waits for a push, or returns null when none has come in half a minute. */
    @Nullable
    Push next() throws InterruptedException {
        return pushes.poll(30, TimeUnit.SECONDS);
    }

    int waiting() {
        return pushes.size();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
