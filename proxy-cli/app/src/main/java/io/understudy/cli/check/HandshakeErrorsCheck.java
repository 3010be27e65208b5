package io.understudy.cli.check;

import io.understudy.config.SendProxyProtocol;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.List;

/**
 * Checks whether the server may come to refuse the proxy because of clients that connect and leave: each client
 * connection opens one to the server, which counts a handshake that was not finished as an error of the host that
 * connected.
 */
final class HandshakeErrorsCheck {
    private static final String WHERE = "primary";
    /** So many in a row, without one login between them, come from no health check that anybody keeps. */
    private static final long PLENTY = 1_000_000;

    private HandshakeErrorsCheck() {}

    static List<CheckResult> of(ServerQueries server, boolean mariaDb, SendProxyProtocol header) throws SQLException {
        String most = server.variableOrNull("max_connect_errors");
        if (most == null) {
            return List.of();
        }
        if ("ON".equals(server.variable("skip_name_resolve")) || "0".equals(server.variable("host_cache_size"))) {
            return List.of(CheckResult.ok(
                    WHERE,
                    "the server has no host cache (skip_name_resolve, host_cache_size), so max_connect_errors (" + most
                            + ") refuses nobody"));
        }
        if (Long.parseUnsignedLong(most) >= PLENTY) {
            return List.of(CheckResult.ok(WHERE, "max_connect_errors is " + most));
        }
        String host = header == SendProxyProtocol.DISABLED ? "the proxy's" : "the client's";
        String forget = mariaDb ? "FLUSH HOSTS" : "TRUNCATE TABLE performance_schema.host_cache";
        return List.of(CheckResult.warning(
                WHERE,
                "max_connect_errors is " + most
                        + ": the server counts a client that connects and leaves without a login as"
                        + " an error of " + host + " address, and after " + most
                        + " of them in a row refuses that address, and with it every client behind it (ERROR 1129)."
                        + " Check health by HTTP or with a login (docs/health-checks.md), or raise it on all servers,"
                        + " and in their option files (ready compares them): SET GLOBAL max_connect_errors = "
                        + PLENTY + "; when it has happened: " + forget
                        + " (performance_schema.host_cache shows the counts)"));
    }
}
