package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.understudy.cli.Understudy;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code check --connect} says of the accounts whose sessions are to move. */
@Timeout(120)
class CheckMovedAccountsTest {
    private static final ServerUnderTest SERVER = ServerUnderTest.shared();

    @TempDir
    Path folder;

    @AfterEach
    void dropAccounts() {
        SERVER.execute("DROP USER IF EXISTS it_moved@'%', it_plain@'%', it_monitor@'%', it_bare@'%', it_socket@'%'");
    }

    private String check(String monitor, String password, String proxys) throws IOException {
        Path file = Files.writeString(folder.resolve("moved.yaml"), """
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: %s }
                  monitor: { user: "%s", password: "%s" }
                failover: { accounts: [{ user: it_moved, password: "%s" }] }
                """.formatted(
                SERVER.address().getPort(), SERVER.isMariaDb() ? "disabled" : "required", monitor, password, proxys));
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        line.execute("check", "-c", file.toString(), "--connect");
        return out.toString();
    }

    @Test
    void aSecondPasswordIsTriedAndTheOtherAccountsAreTold() throws Exception {
        boolean mariaDb = SERVER.isMariaDb();
        SERVER.execute("CREATE USER it_moved@'%' IDENTIFIED BY 'apps'", "CREATE USER it_plain@'%' IDENTIFIED BY 'x'");
        String refused = check(SERVER.user(), SERVER.password(), "proxys");
        assertThat(refused)
                .contains("error   failover.accounts: cannot log in to")
                .contains("as it_moved: ERROR 1045")
                .contains(
                        mariaDb
                                ? "ALTER USER 'it_moved'@'%' IDENTIFIED VIA METHOD USING"
                                : "ALTER USER 'it_moved'@'%' IDENTIFIED BY '…' RETAIN CURRENT PASSWORD");
        if (mariaDb) {
            String hash = SERVER.query("SELECT authentication_string FROM mysql.user WHERE user = 'it_moved'");
            SERVER.execute("ALTER USER it_moved@'%' IDENTIFIED VIA mysql_native_password USING '" + hash
                    + "' OR mysql_native_password USING PASSWORD('proxys')");
        } else {
            SERVER.execute("ALTER USER it_moved@'%' IDENTIFIED BY 'proxys' RETAIN CURRENT PASSWORD");
        }
        String both = check(SERVER.user(), SERVER.password(), "proxys");
        assertThat(both)
                .contains("ok      failover.accounts: the proxy's password of it_moved@% works on the primary")
                .doesNotContain("sessions of 'it_moved'");
        assertThat(check(SERVER.user(), SERVER.password(), "apps")).contains("of it_moved@% works on the primary");
        if (mariaDb) {
            assertThat(both).containsPattern("move by the key of mysql_native_password: .*'it_plain'@'%'");
        } else {
            assertThat(both)
                    .contains("sessions of 'it_plain'@'%' (caching_sha2_password) are not sure to move: ALTER USER"
                            + " 'it_plain'@'%' IDENTIFIED BY '…' RETAIN CURRENT PASSWORD, and list it in"
                            + " failover.accounts");
        }
    }

    @Test
    void whatHasNoPasswordNeedsNoSecondOne() throws Exception {
        SERVER.execute("CREATE USER it_moved@'%' IDENTIFIED BY 'p'", "CREATE USER it_bare@'%'");
        if (SERVER.isMariaDb()) {
            SERVER.execute("CREATE USER it_socket@'%' IDENTIFIED VIA unix_socket OR mysql_native_password");
        }
        assertThat(check(SERVER.user(), SERVER.password(), "p"))
                .contains("works on the primary")
                .doesNotContain("sessions of 'it_bare'", "it_socket");
    }

    @Test
    void onMySqlTheGrantForUserVariablesIsTold() throws Exception {
        assumeFalse(SERVER.isMariaDb());
        SERVER.execute("CREATE USER it_moved@'%' IDENTIFIED BY 'p'", "CREATE USER it_plain@'%' IDENTIFIED BY 'x'");
        String grant = "GRANT SELECT ON performance_schema.user_variables_by_thread TO ";
        assertThat(check(SERVER.user(), SERVER.password(), "p"))
                .containsPattern("set a user variable are closed: " + grant + ".*'it_plain'@'%'");
        SERVER.execute(grant + "'it_plain'@'%'");
        assertThat(check(SERVER.user(), SERVER.password(), "p")).doesNotContainPattern(grant + ".*'it_plain'@'%'");
    }

    @Test
    void aMonitorThatMayNotReadAccountsIsToldTheGrant() throws Exception {
        SERVER.execute("CREATE USER it_monitor@'%' IDENTIFIED BY 'm'", "CREATE USER it_moved@'%' IDENTIFIED BY 'p'");
        String denied = check("it_monitor", "m", "p");
        String grant =
                "GRANT SELECT ON mysql." + (SERVER.isMariaDb() ? "global_priv" : "user") + " TO 'it_monitor'@'%'";
        assertThat(denied).contains("warning primary.monitor: which accounts' sessions can move is not known", grant);
        SERVER.execute(grant);
        assertThat(check("it_monitor", "m", "p")).doesNotContain("is not known, and none");
    }
}
