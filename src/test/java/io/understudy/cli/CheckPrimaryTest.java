package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Findings of {@code check --connect} on the primary: candidates, the account, its privileges. */
@Timeout(120)
@Tag("long")
class CheckPrimaryTest extends CheckedPair {
    private String candidates(Integer... ports) {
        return "monitor: { user: monitor, password: secret }\ncandidates: "
                + Arrays.stream(ports).map(port -> "\"127.0.0.1:" + port + "\"").toList();
    }

    private static int closedPort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    @Test
    void eachCandidateIsQueriedForItsRole() throws IOException {
        int one = pair.standby().port();
        int two = pair.primary().port();
        int closed = closedPort();
        Said said = connect(candidates(one, two, closed), "black-box: {}");
        assertThat(said.status()).isZero();
        assertThat(said.text())
                .contains("ok      primary.candidates: 127.0.0.1:" + one + " is read-only")
                .contains("ok      primary.candidates: 127.0.0.1:" + two + " is writable")
                .contains("warning primary.candidates: cannot connect to 127.0.0.1:" + closed + ": Connection refused")
                .contains("ok      primary: 127.0.0.1:" + two + " responds");

        Said none = connect(candidates(one, closed), "black-box: {}");
        assertThat(none.status()).isEqualTo(2);
        assertThat(none.text())
                .contains("error   primary.candidates: none of them is known to be writable")
                .contains("if no other server has been promoted since, and the primary is there");

        pair.standby().execute("SET GLOBAL read_only = 0");
        try {
            Said split = connect(candidates(one, two), "black-box: {}");
            assertThat(split.status()).isEqualTo(2);
            assertThat(split.text())
                    .contains("split: 127.0.0.1:" + one + " and 127.0.0.1:" + two + " are all writable (127.0.0.1:"
                            + one + " replicates from 127.0.0.1:" + two + ")");
        } finally {
            pair.standby().execute("SET GLOBAL read_only = 1");
        }
    }

    /** What one does about a standby would stop the primary, if that is the other one. */
    @Test
    void whereThePrimaryIsNotKnownNothingIsDoneAboutAStandby() throws IOException {
        int replica = pair.standby().port();
        int source = pair.primary().port();
        // Not the first: the one that the proxy may have is named as a standby, too.
        String both = candidates(replica, source).indent(2);
        String standbys = "standbys: [ %s, %s ]\n"
                .formatted(standby(replica, "reader"), standby(source, "reader").replace("s1", "s2"));
        String file = "primary:\n  tls: { mode: disabled }\n";
        pair.standby().execute("SET GLOBAL read_only = 0");
        try {
            Said split = checked(file + both + standbys);
            assertThat(split.status()).isEqualTo(2);
            assertThat(split.text())
                    .contains("GET /api/primary", "one that starts now lets nobody in")
                    .contains("warning standby s1: is writable: whether it is the primary cannot be said")
                    .contains("warning standby s2: is writable: whether it is the primary cannot be said")
                    .doesNotContain("takes 127", "is the present primary", "error   standby")
                    .doesNotContain("CHANGE MASTER", "build it anew", "Point it")
                    .containsOnlyOnce("read_only = 1");
            // One of two refuses the account, and so may be the primary.
            pair.primary().execute("SET SESSION sql_log_bin = 0", "ALTER USER monitor ACCOUNT LOCK");
            Said refused = checked(file + both + standbys);
            assertThat(refused.text())
                    .contains("error   primary.candidates: cannot log in")
                    .doesNotContain("is the present primary", "error   standby", "read_only = 1", "CHANGE MASTER");
            pair.standby().execute("SET GLOBAL read_only = 1");
            assertThat(checked(file + both + standbys).text())
                    .contains("none of them is known to be writable", "mend primary.monitor first")
                    .doesNotContain("takes 127", "understudy failover", "error   standby", "read_only = 1");
        } finally {
            pair.standby().execute("SET GLOBAL read_only = 1");
            pair.primary().execute("SET SESSION sql_log_bin = 0", "ALTER USER monitor ACCOUNT UNLOCK");
        }
        // The file has the former primary.
        pair.primary().execute("SET GLOBAL read_only = 1");
        pair.standby().execute("SET GLOBAL read_only = 0");
        try {
            assertThat(connect(replica, "reader").text())
                    .contains("error   primary: read_only is ON")
                    .contains("warning standby s1: is writable: whether it is the primary cannot be said")
                    .doesNotContain("read_only = 1", "CHANGE MASTER");
        } finally {
            pair.standby().execute("SET GLOBAL read_only = 1");
            pair.primary().execute("SET GLOBAL read_only = 0");
        }
    }

    private Said checked(String file) throws IOException {
        return check(Files.writeString(folder.resolve("split.yaml"), file), "--connect");
    }

    @Test
    void whatStandsAgainstAWitnessIsSaid() throws IOException {
        String primary = "address: \"127.0.0.1:%d\"\nmonitor: { user: monitor, password: secret }"
                .formatted(pair.primary().port());
        String witness = "black-box: { acknowledge: memory }";
        pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled = 0");
        assertThat(connect(primary, witness).text())
                .contains("warning plugins.black-box.acknowledge: semi-synchronous replication is switched off")
                .contains("SET GLOBAL rpl_semi_sync_master_enabled=1");
        long timeout = Long.parseLong(pair.primary().query("SELECT @@global.rpl_semi_sync_master_timeout"));
        pair.primary()
                .execute(
                        "SET GLOBAL rpl_semi_sync_master_enabled = 1", "SET GLOBAL rpl_semi_sync_master_timeout = 100");
        try {
            assertThat(connect(primary, witness).text())
                    .contains("ok      plugins.black-box.acknowledge: semi-synchronous replication is ON")
                    .contains("the primary waits for an acknowledgement only 100 ms")
                    .contains("_wait_point is AFTER_COMMIT");
        } finally {
            pair.primary().execute("SET GLOBAL rpl_semi_sync_master_timeout = " + timeout);
        }
        assertThat(connect(primary, "black-box: {}").text()).doesNotContain("acknowledge");
    }

    /** Both servers of a pair are listed as standbys, as docs/failover.md says. */
    @Test
    void theCandidateThatIsThePrimaryMayBeAStandby() throws IOException {
        int one = pair.standby().port();
        int two = pair.primary().port();
        Said said = check(
                Files.writeString(folder.resolve("pair.yaml"), """
                        primary:
                          tls: { mode: disabled }
                        %sstandbys: [ %s ]
                        plugins: { mirror: { rules: [ { name: all } ] } }
                        """.formatted(
                                candidates(one, two).indent(2), standby(two, "reader"))),
                "--connect");
        assertThat(said.text()).contains("ok      standby s1: is the present primary: nothing is mirrored to it");
    }

    @Test
    void anUnreachableServerIsNotAMissingAccount() throws IOException {
        int closed = closedPort();
        Said primary = connect(
                "address: \"127.0.0.1:" + closed + "\"\nmonitor: { user: monitor, password: secret }", "black-box: {}");
        assertThat(primary.status()).isEqualTo(2);
        Said standby = connect(closed, "reader");
        assertThat(primary.text() + standby.text())
                .contains("error   primary: cannot connect to 127.0.0.1:" + closed + ": Connection refused")
                .contains("error   standby s1: cannot connect to 127.0.0.1:" + closed + ": Connection refused")
                .contains("correct standbys[0].address")
                .doesNotContain("CREATE USER")
                .doesNotContainIgnoringCase("socket");
    }

    /** A service that is none of the two products, which sends nothing. */
    @Test
    void aSilentServerIsNotAMissingAccount() throws IOException {
        try (ServerSocket silent = new ServerSocket(0)) {
            assertThat(connect(
                                    "address: \"127.0.0.1:" + silent.getLocalPort()
                                            + "\"\nconnectTimeout: 1s\nmonitor: { user: monitor, password: secret }",
                                    "black-box: {}")
                            .text())
                    .contains("error   primary: 127.0.0.1:" + silent.getLocalPort()
                            + " accepts connections and does not respond")
                    .doesNotContain("CREATE USER");
        }
    }

    /** Only the password is left to fill in. */
    @Test
    void theStatementsForAMissingAccountCreateIt() throws IOException {
        for (String account : List.of("mirror_new", "monitor_new")) {
            boolean mirror = account.startsWith("mirror");
            String file = "address: \"127.0.0.1:%d\"\nmonitor: { user: monitor_new, password: secret }"
                    .formatted(pair.primary().port());
            String plugins = "black-box: {}\nmirror: { rules: [ { name: all } ] }\ngtid-domain:"
                    + " { rules: [ { name: a, match: { kind: ddl }, domain: 9 } ] }";
            Said missing = mirror ? connect(pair.standby().port(), account) : connect(file, plugins);
            assertThat(missing.status()).isEqualTo(2);
            assertThat(missing.text()).contains("ERROR 1045: Access denied").doesNotContain("conn=");
            String statements = missing.text().substring(missing.text().indexOf("CREATE USER"));
            for (String statement : statements.lines().findFirst().orElseThrow().split("; ")) {
                pair.primary().execute(statement.replace("…", "secret"));
            }
            pair.awaitCaughtUp(Duration.ofSeconds(20));
            Said then = mirror ? connect(pair.standby().port(), account) : connect(file, plugins);
            assertThat(then.status()).as(then.text()).isZero();
            assertThat(then.text())
                    .doesNotContain("cannot be seen")
                    .doesNotContain("has no PROCESS")
                    .doesNotContain("cannot read")
                    .doesNotContain("was not checked");
        }
    }

    @Test
    void missingPrivilegesOfTheMonitorAreNamedWithItsAccount() throws IOException {
        pair.primary().execute("CREATE USER narrow@localhost IDENTIFIED BY 'secret'");
        pair.primary().execute("CREATE USER narrow@'127.%' IDENTIFIED BY 'secret'");
        try {
            Said said = check(
                    Files.writeString(folder.resolve("narrow.yaml"), """
                            primary:
                              address: "127.0.0.1:%d"
                              tls: { mode: disabled }
                              monitor: { user: narrow, password: secret }
                            standbys:
                              - %s
                            plugins:
                              mirror: { rules: [ { name: all } ] }
                              black-box: {}
                              gtid-domain: { rules: [ { name: a, match: { kind: ddl }, domain: 9 } ] }
                            """.formatted(
                            pair.primary().port(), standby(pair.standby().port(), "reader"))),
                    "--connect");
            assertThat(said.text())
                    .containsPattern("error   plugins.black-box: the monitor account cannot read the binary log: .*"
                            + "GRANT REPLICATION SLAVE ON \\*\\.\\* TO 'narrow'@'(127\\.%|localhost)'")
                    .containsPattern("warning plugins.gtid-domain: the monitor account cannot read the binary log: ")
                    .containsPattern("warning primary: ready cannot read a standby's replication: .* lacks SLAVE"
                            + " MONITOR; GRANT SLAVE MONITOR ON \\*\\.\\* TO 'narrow'@'(127\\.%|localhost)'")
                    .containsPattern("warning plugins.gtid-domain: the monitor account has no PROCESS: .*"
                            + "GRANT PROCESS ON \\*\\.\\* TO 'narrow'@'(127\\.%|localhost)'")
                    .containsPattern("GRANT SHOW DATABASES ON \\*\\.\\* TO 'narrow'@'(127\\.%|localhost)'");
        } finally {
            pair.primary().execute("DROP USER narrow@localhost, narrow@'127.%'");
        }
    }

    /** mirror.verify executes reads on the primary, and reads its binary log. */
    @Test
    void theCausalCheckNeedsToReadThePrimary() throws IOException {
        for (String user : new String[] {"monitor", "nobody"}) {
            Said said = check(
                    Files.writeString(folder.resolve("verify.yaml"), """
                            primary:
                              address: "127.0.0.1:%d"
                              tls: { mode: disabled }
                              monitor: { user: %s, password: secret }
                            standbys:
                              - %s
                            plugins:
                              mirror: { verify: 1%%, rules: [ { name: all } ] }
                            """.formatted(
                            pair.primary().port(), user, standby(pair.standby().port(), "reader"))),
                    "--connect");
            if (user.equals("monitor")) {
                assertThat(said.text())
                        .contains("warning plugins.mirror.verify: the monitor account cannot read all of de_pot, shop")
                        .contains("GRANT SELECT ON `shop`.* TO 'monitor'@")
                        .contains("plugins.mirror: the monitor account may read the binary log");
            } else {
                assertThat(said.text())
                        .contains("GRANT SHOW DATABASES, SELECT, REPLICATION SLAVE ON *.* TO 'nobody'@'%'");
            }
        }
    }

    @Test
    void theMonitorNeedsWhatReadyReads() throws IOException {
        Said said = connect(pair.standby().port(), "reader");
        assertThat(said.text())
                .contains("warning primary: ready cannot compare definitions: the monitor account lacks SELECT, SHOW"
                        + " VIEW, TRIGGER; GRANT SELECT, SHOW VIEW, TRIGGER ON *.* TO 'monitor'@'%'")
                .doesNotContain("lacks SLAVE MONITOR");
        pair.createAccount("compares", "secret", "SELECT, SHOW VIEW, TRIGGER ON *.*");
        Said full = check(
                Files.writeString(folder.resolve("compares.yaml"), """
                        primary:
                          address: "127.0.0.1:%d"
                          tls: { mode: disabled }
                          monitor: { user: compares, password: secret }
                        standbys: [ %s ]
                        """.formatted(
                                pair.primary().port(), standby(pair.standby().port(), "reader"))),
                "--connect");
        assertThat(full.text())
                .contains("ok      primary: ", "the monitor account lacks SLAVE MONITOR")
                .doesNotContain("compare definitions");
    }

    @Test
    void theGentleLeversNeedNoPrivilege() throws IOException {
        Path file = Files.writeString(
                folder.resolve("levers.yaml"), """
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: secret }
                plugins:
                  gtid-domain:
                    rules: [ { name: alters, match: { kind: ddl }, alter: two-phase } ]
                """.formatted(pair.primary().port()));
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        assertThat(line.execute("check", "-c", file.toString(), "--connect")).isZero();
        assertThat(out.toString())
                .contains("plugins.gtid-domain: 'alter: two-phase' needs no privilege")
                .doesNotContain("BINLOG REPLAY");
    }

    /** A client that only connects, as some health checks do, counts against the proxy's address. */
    @Test
    void maxConnectErrorsIsReported() throws IOException {
        assertThat(connect(pair.standby().port(), "reader").text())
                .contains("the server has no host cache (skip_name_resolve, host_cache_size)");
        try (EmbeddedServer other = EmbeddedServer.start(
                ServerOptions.of(8).withArguments("--skip-name-resolve=0", "--max-connect-errors=17"))) {
            other.execute("CREATE USER monitor@'%' IDENTIFIED BY 'secret'");
            Path file = Files.writeString(folder.resolve("errors.yaml"), """
                    primary:
                      address: "127.0.0.1:%d"
                      tls: { mode: disabled }
                      monitor: { user: monitor, password: secret }
                    """.formatted(other.port()));
            StringWriter out = new StringWriter();
            CommandLine line = Understudy.commandLine();
            line.setOut(new PrintWriter(out, true));
            line.execute("check", "-c", file.toString(), "--connect");
            assertThat(out.toString())
                    .contains("warning primary: max_connect_errors is 17")
                    .contains("FLUSH HOSTS", "on all servers, and in their option files");
        }
    }
}
