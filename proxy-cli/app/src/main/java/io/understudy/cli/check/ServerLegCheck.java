package io.understudy.cli.check;

import io.understudy.config.ListenConfig;
import io.understudy.config.ListenTlsMode;
import io.understudy.config.LoadedConfig;
import io.understudy.config.PrimaryConfig;
import java.util.ArrayList;
import java.util.List;

/** The effect of the server's leg on {@code REQUIRE SSL} and {@code SHOW STATUS}: a server knows only its own leg. */
final class ServerLegCheck {
    private static final String TLS = "primary.tls";

    private ServerLegCheck() {}

    /** @param offered the primary offers TLS, or is not known to offer none */
    static List<CheckResult> of(LoadedConfig loaded, boolean offered) {
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
