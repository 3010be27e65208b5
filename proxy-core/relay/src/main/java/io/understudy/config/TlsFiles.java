package io.understudy.config;

import io.understudy.base.ByteSize;
import io.understudy.config.bind.Document;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The certificates and keys that a configuration names: a missing one is a problem of the file, not of the first
 * client.
 */
final class TlsFiles {
    private static final int MAX_BYTES = 16 << 20;

    private final Document document;
    private final Set<Path> files = new LinkedHashSet<>();

    private TlsFiles(Document document) {
        this.document = document;
    }

    /** Reports the unreadable ones; returns all of them. */
    static Set<Path> check(UnderstudyConfig config, Document document) {
        TlsFiles tls = new TlsFiles(document);
        ListenTls listen = config.listen().tls();
        if (listen.terminates()) {
            tls.certificate(listen.certificate(), "listen.tls.certificate");
            tls.readable(listen.key(), "listen.tls.key");
            tls.readable(listen.clientCa(), "listen.tls.clientCa");
        }
        AdminTls admin = config.admin().tls();
        if (admin != null && config.admin().enabled()) {
            tls.certificate(admin.certificate(), "admin.tls.certificate");
            tls.readable(admin.key(), "admin.tls.key");
        }
        OtlpConfig otlp = config.metrics().otlp();
        OtlpTls collector = otlp == null ? null : otlp.tls();
        if (collector != null) {
            tls.readable(collector.ca(), "metrics.otlp.tls.ca");
        }
        tls.server(config.primary().tls(), "primary.tls");
        for (int i = 0; i < config.standbys().size(); i++) {
            tls.server(config.standbys().get(i).tls(), "standbys[" + i + "].tls");
        }
        return tls.files;
    }

    private void server(ServerTlsConfig tls, String path) {
        if (tls.mode() != ServerTlsMode.DISABLED) {
            readable(tls.ca(), path + ".ca");
            certificate(tls.certificate(), path + ".certificate");
            readable(tls.key(), path + ".key");
        }
    }

    private void readable(@Nullable Path file, String path) {
        if (file == null) {
            return;
        }
        files.add(file);
        if (!Files.isRegularFile(file)) {
            document.error(path, "the file " + file + (Files.exists(file) ? " is no regular file" : " does not exist"));
        } else if (!Files.isReadable(file)) {
            document.error(path, "the file " + file + " cannot be read; check its owner and mode");
        } else if (file.toFile().length() > MAX_BYTES) {
            document.error(path, "the file " + file + " is larger than " + new ByteSize(MAX_BYTES));
        }
    }

    /** What is expired is used all the same: not every peer checks it. */
    private void certificate(@Nullable Path file, String path) {
        readable(file, path);
        if (file == null || !Files.isRegularFile(file) || file.toFile().length() > MAX_BYTES) {
            return;
        }
        try (InputStream in = Files.newInputStream(file)) {
            ((X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in)).checkValidity();
        } catch (CertificateExpiredException | CertificateNotYetValidException e) {
            document.warning(
                    path,
                    "the certificate " + file + " is not valid now (" + e.getMessage()
                            + "): whoever checks it refuses the connection");
        } catch (IOException | CertificateException e) {
            // Whoever uses it says so.
        }
    }
}
