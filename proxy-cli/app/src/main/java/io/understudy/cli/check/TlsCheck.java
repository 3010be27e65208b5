package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.ListenConfig;
import io.understudy.config.ListenTls;
import io.understudy.config.ListenTlsMode;
import io.understudy.config.LoadedConfig;
import io.understudy.config.PrimaryConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds which of the choices in docs/tls.md the configuration makes for clients that check certificates, and whether it
 * works with the server: the server's own certificate, one of an authority, TLS relayed to the server, or none.
 */
public final class TlsCheck {
    private static final String TLS = "primary.tls";
    private static final String WHERE = "listen.tls";
    private static final String CHECKING = "clients of MariaDB 11.4 and newer and Connector/J 4";

    private final LoadedConfig loaded;
    private final ListenTls listen;
    private final Address address;
    private final List<CheckResult> findings = new ArrayList<>();

    /** @param address the primary's */
    public TlsCheck(LoadedConfig loaded, Address address) {
        this.loaded = loaded;
        this.address = address;
        listen = loaded.config().listen().tls();
    }

    public List<CheckResult> run() {
        ServerTls server = null;
        if (address.isUnix()) {
            findings.add(CheckResult.warning(
                    "primary.address",
                    "a socket file tells the server the operating system's user at its other end, which is the proxy's,"
                            + " '" + System.getProperty("user.name") + "': an account of that name identified via"
                            + " unix_socket or auth_socket lets every client of the proxy in without a password;"
                            + " give it"
                            + " another method, or dial the server over TCP"));
        } else {
            try {
                server = ServerTls.of(address);
            } catch (IOException e) {
                findings.add(CheckResult.warning(
                        WHERE,
                        "cannot ask " + address + " for its certificate, so that it is not compared: "
                                + e.getMessage()));
            }
        }
        switch (listen.mode()) {
            case DISABLED -> disabled(server);
            case PASSTHROUGH -> passthrough(server);
            case OPTIONAL, REQUIRED -> terminates(server);
        }
        findings.addAll(serverLeg(loaded, server == null || server.offered()));
        return findings;
    }

    private void disabled(@Nullable ServerTls server) {
        if (server == null || server.offered()) {
            findings.add(CheckResult.warning(
                    WHERE,
                    "mode is disabled" + (server == null ? "" : " though the primary offers TLS") + ": " + CHECKING
                            + " want TLS unless told otherwise and refuse (ERROR 2026); set mode: passthrough, or"
                            + " optional"
                            + " with the server's own certificate and key or one of an authority that they know"));
        } else {
            findings.add(CheckResult.ok(WHERE, "mode is disabled, and the primary offers no TLS either"));
        }
    }

    private void passthrough(@Nullable ServerTls server) {
        if (server != null && !server.offered()) {
            findings.add(CheckResult.error(
                    WHERE, "mode is passthrough but the primary offers no TLS that could be relayed"));
            return;
        }
        findings.add(CheckResult.ok(
                WHERE,
                "passthrough: clients see the primary's own TLS"
                        + (server == null ? "" : " (" + name(server.certificate()) + ")")
                        + "; their sessions are counted but not understood, so no plugin sees them"));
    }

    private void terminates(@Nullable ServerTls server) {
        Path file = listen.certificate();
        X509Certificate own;
        try {
            own = file == null ? null : read(file);
        } catch (IOException | GeneralSecurityException e) {
            findings.add(CheckResult.error(WHERE + ".certificate", file + " cannot be read: " + e.getMessage()));
            return;
        }
        if (own == null) {
            return;
        }
        expiry(own);
        X509Certificate servers = server == null ? null : server.certificate();
        if (own.equals(servers)) {
            findings.add(CheckResult.ok(
                    WHERE,
                    "the server's own certificate (" + name(own) + "): clients that check it by their password's hash"
                            + " accept it without any option; when the server gets a new one, bring it here too"));
        } else if (selfSigned(own)) {
            findings.add(CheckResult.warning(
                    WHERE,
                    "a self-signed certificate (" + name(own) + ")"
                            + (servers == null ? "" : " that is not the primary's (" + name(servers) + ")") + ": "
                            + CHECKING
                            + " refuse it (ERROR 2026) unless it is given to them as their authority; use the"
                            + " server's own certificate and key, one of an authority, or mode: passthrough"));
        } else {
            findings.add(CheckResult.ok(
                    WHERE,
                    "a certificate of an authority (" + name(own) + ", issued by "
                            + own.getIssuerX500Principal().getName() + "): " + CHECKING
                            + " accept it when they are given that authority (--ssl-ca, serverSslCert)"));
        }
        if (listen.mode() == ListenTlsMode.OPTIONAL && server != null && !server.offered()) {
            findings.add(CheckResult.ok(WHERE, "the primary offers no TLS: the leg behind the proxy is in clear"));
        }
    }

    private void expiry(X509Certificate own) {
        try {
            own.checkValidity();
        } catch (CertificateExpiredException | CertificateNotYetValidException e) {
            findings.add(CheckResult.error(
                    WHERE + ".certificate",
                    "not valid now (from " + own.getNotBefore() + " until " + own.getNotAfter() + "): "
                            + e.getMessage()));
        }
    }

    private static X509Certificate read(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private static boolean selfSigned(X509Certificate certificate) {
        try {
            certificate.verify(certificate.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static String name(@Nullable X509Certificate certificate) {
        return certificate == null
                ? "none"
                : certificate.getSubjectX500Principal().getName();
    }

    /**
     * Returns the effect of the server's leg on {@code REQUIRE SSL} and {@code SHOW STATUS}: a server knows only its
     * own leg.
     *
     * @param offered the primary offers TLS, or is not known to offer none
     */
    private static List<CheckResult> serverLeg(LoadedConfig loaded, boolean offered) {
        ListenConfig listen = loaded.config().listen();
        PrimaryConfig primary = loaded.config().primary();
        List<CheckResult> findings = new ArrayList<>();
        ListenTlsMode clients = listen.tls().mode();
        switch (primary.tls().mode()) {
            case AS_CLIENT -> findings.add(asClient(clients, offered));
            case DISABLED -> {
                if (offered) {
                    findings.add(CheckResult.warning(
                            TLS,
                            "mode is disabled: accounts with REQUIRE SSL are refused (ERROR 1045)"
                                    + (listen.tls().terminates() ? ", also when their client has TLS" : "")
                                    + ", and Ssl_version is empty; set mode: as-client to have the server see"
                                    + " whether the"
                                    + " client has TLS"));
                }
            }
            default -> {
                if (offered && clients != ListenTlsMode.REQUIRED) {
                    findings.add(CheckResult.warning(
                            TLS,
                            "sessions have TLS on the server's leg, whatever their client has: an account with"
                                    + " REQUIRE SSL can"
                                    + " be used without TLS on the client's leg, and Ssl_version is never empty; set"
                                    + " mode:"
                                    + " as-client, or listen.tls.mode: required"));
                }
            }
        }
        if (!primary.compressesAsClient() && !listen.compression().isEmpty()) {
            findings.add(CheckResult.ok(
                    "primary.compression",
                    "Compression in SHOW STATUS is of the server's leg, whatever the client's leg has; as-client"
                            + " makes both"
                            + " alike"));
        }
        return findings;
    }

    private static CheckResult asClient(ListenTlsMode clients, boolean offered) {
        if (!offered && clients == ListenTlsMode.REQUIRED) {
            return CheckResult.error(
                    TLS,
                    "mode is as-client and the primary offers no TLS, so that clients are offered none, but"
                            + " listen.tls.mode is"
                            + " required: no client can log in; give the primary a certificate");
        }
        if (clients == ListenTlsMode.DISABLED) {
            return CheckResult.warning(
                    TLS,
                    "mode is as-client, but listen.tls.mode is disabled: no session has TLS on either leg, and"
                            + " accounts with"
                            + " REQUIRE SSL cannot log in; set listen.tls.mode: optional");
        }
        return CheckResult.ok(
                TLS,
                "as-client: REQUIRE SSL and Ssl_version are about the client's TLS, as directly"
                        + (offered ? "" : "; the primary offers no TLS, so that clients are offered none"));
    }
}
