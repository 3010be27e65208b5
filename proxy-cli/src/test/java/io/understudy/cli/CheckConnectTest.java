package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Findings of {@code check} and {@code check --connect} for a mirror's configuration, with real servers. */
@Timeout(120)
class CheckConnectTest {
    private static EmbeddedPair pair;

    @TempDir
    private Path folder;

    private record Said(int status, String text) {}

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        pair.primary().execute("CREATE DATABASE shop");
        pair.primary().execute("CREATE DATABASE de_pot", "CREATE DATABASE IF NOT EXISTS test");
        pair.primary()
                .execute(
                        "GRANT SELECT, INSERT, DELETE HISTORY, CREATE ROUTINE ON test.* TO PUBLIC",
                        "GRANT SELECT, UPDATE ON `test\\_%`.* TO PUBLIC");
        pair.createAccount(
                "monitor",
                "secret",
                "REPLICA MONITOR, BINLOG MONITOR, REPLICATION SLAVE, PROCESS, SHOW DATABASES ON *.*");
        pair.createAccount("half", "secret", "SELECT ON shop.*", "REPLICA MONITOR ON *.*");
        pair.createAccount("reader", "secret", "SELECT ON shop.*", "SELECT ON `de\\_pot`.*", "REPLICA MONITOR ON *.*");
        pair.createAccount("writer", "secret", "SELECT, INSERT, DELETE ON shop.*", "REPLICA MONITOR ON *.*");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private Said check(String standby, String rules, String... options) throws IOException {
        Path file = Files.writeString(
                folder.resolve("check.yaml"), """
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: secret }
                standbys:
                  - %s
                plugins:
                  mirror:
                    rules:
                      - %s
                """.formatted(pair.primary().port(), standby, rules));
        return check(file, options);
    }

    private static Said check(Path file, String... options) {
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        String[] arguments = new String[options.length + 3];
        arguments[0] = "check";
        arguments[1] = "-c";
        arguments[2] = file.toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return new Said(line.execute(arguments), out.toString());
    }

    /** @param primary the section's lines without tls */
    private Said connect(String primary, String plugins) throws IOException {
        return check(
                Files.writeString(folder.resolve("primary.yaml"), """
                        primary:
                          tls: { mode: disabled }
                        %splugins:
                        %s""".formatted(primary.indent(2), plugins.indent(2))),
                "--connect");
    }

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
        assertThat(none.text()).contains("error   primary.candidates: none of them is known to be writable");

        pair.standby().execute("SET GLOBAL read_only = 0");
        try {
            Said split = connect(candidates(one, two), "black-box: {}");
            assertThat(split.status()).isEqualTo(2);
            assertThat(split.text())
                    .contains("split: 127.0.0.1:" + one + " and 127.0.0.1:" + two + " are all writable");
        } finally {
            pair.standby().execute("SET GLOBAL read_only = 1");
        }
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
        assertThat(said.text()).contains("ok      standby s1: is the primary now: nothing is mirrored to it meanwhile");
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
                            """.formatted(
                            pair.primary().port(), standby(pair.standby().port(), "reader"))),
                    "--connect");
            assertThat(said.text())
                    .containsPattern("warning plugins.black-box: the monitor account cannot read the binary log: .*"
                            + "GRANT REPLICATION SLAVE ON \\*\\.\\* TO 'narrow'@'(127\\.%|localhost)'")
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

    private static String standby(int port, String user) {
        return "{ name: s1, address: \"127.0.0.1:%d\", tls: { mode: disabled }, user: %s, password: secret }"
                .formatted(port, user);
    }

    private Said connect(int port, String user) throws IOException {
        return check(standby(port, user), "{ name: all }", "--connect");
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

    @Test
    void aRuleWithAnUnknownStandbyIsReportedAtItsPlace() throws IOException {
        Said said = check(standby(pair.standby().port(), "reader"), "{ name: all, standbys: [s1, s2] }");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.text())
                .contains("10:37: plugins.mirror.rules[0].standbys[1]: 's2' is no standby; known here: s1");
    }

    @Test
    void anInvalidOrBacktrackingPatternIsReportedAtItsPlace() throws IOException {
        String standby = standby(pair.standby().port(), "reader");
        Said broken = check(standby, "{ name: all, match: { pattern: \"(a\" } }");
        assertThat(broken.status()).isEqualTo(2);
        assertThat(broken.text())
                .contains("10:40: plugins.mirror.rules[0].match.pattern: expected a Java regular expression");
        Said endless = check(standby, "{ name: all, match: { pattern: '^insert (a+)+\\1b' } }");
        assertThat(endless.status()).isEqualTo(2);
        assertThat(endless.text())
                .contains("10:40: plugins.mirror.rules[0].match.pattern")
                .contains("backtracks without end");
    }

    @Test
    void aCorrectPairIsReportedAsGood() throws IOException {
        Said said = connect(pair.standby().port(), "reader");
        assertThat(said.text())
                .contains("account reader can only read")
                .contains("replicates from the primary")
                .contains("read_only is ON");
        assertThat(said.status()).isZero();
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
                    .contains("FLUSH HOSTS");
        }
    }

    @Test
    void anAccountThatCanWriteIsReportedWithItsPrivilegesAndTheGrantsItNeeds() throws IOException {
        Said said = connect(pair.standby().port(), "writer");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.text())
                .contains("can do more than read (DELETE, INSERT)")
                .contains("GRANT SELECT ON");
    }

    @Test
    void thePrimaryUnderAnotherAddressIsRecognized() throws IOException {
        Said said = check(
                standby(pair.primary().port(), "reader").replace("127.0.0.1", "localhost"),
                "{ name: all }",
                "--connect");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.text()).contains("is the primary itself");
        Said sameAddress = check(standby(pair.primary().port(), "reader"), "{ name: all }");
        // Not an error: after a failover, the standby that was promoted is the primary until the file is edited.
        assertThat(sameAddress.status()).isZero();
        assertThat(sameAddress.text()).contains("standbys[0].address").contains("is the primary's address");
    }

    @Test
    void standbysOfAnotherServerAndOfNoneAreReported() throws IOException {
        // Replicates from the standby instead of the primary, which the configuration does not say.
        try (EmbeddedServer other = EmbeddedServer.start(ServerOptions.of(7).withArguments("--read-only=1"))) {
            other.execute(
                    "SET SESSION sql_log_bin = 0",
                    "CREATE USER reader@'%' IDENTIFIED BY 'secret'",
                    "GRANT REPLICA MONITOR ON *.* TO reader@'%'");
            Said alone = connect(other.port(), "reader");
            assertThat(alone.status()).isEqualTo(2);
            assertThat(alone.text()).contains("does not replicate from any server");

            pair.primary()
                    .execute(
                            "CREATE OR REPLACE USER repl2@'%' IDENTIFIED BY 'repl2'",
                            "GRANT REPLICATION SLAVE ON *.* TO repl2@'%'");
            pair.awaitCaughtUp(Duration.ofSeconds(20));
            other.execute(
                    "RESET MASTER",
                    "SET GLOBAL gtid_slave_pos = '" + pair.standby().query("SELECT @@GLOBAL.gtid_current_pos") + "'",
                    "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT="
                            + pair.standby().port()
                            + ", MASTER_USER='repl2', MASTER_PASSWORD='repl2', MASTER_USE_GTID=slave_pos, MASTER_SSL=0",
                    "START SLAVE");
            org.awaitility.Awaitility.await()
                    .until(() -> connect(other.port(), "reader").text().contains("replicates from elsewhere"));
            assertThat(connect(other.port(), "reader").status()).isEqualTo(2);
        }
    }

    @Test
    void aWritableStandbyIsReported() throws IOException {
        pair.standby().execute("SET GLOBAL read_only = 0");
        try {
            Said said = connect(pair.standby().port(), "reader");
            assertThat(said.status()).isEqualTo(2);
            assertThat(said.text()).contains("is writable").contains("SET GLOBAL read_only = 1");
        } finally {
            pair.standby().execute("SET GLOBAL read_only = 1");
        }
    }

    /**
     * A fresh MariaDB lets everybody write to {@code test}. That privilege belongs to PUBLIC, and is revoked from
     * PUBLIC.
     */
    @Test
    void privilegesOfPublicAreReportedApart() throws IOException {
        Said said = connect(pair.standby().port(), "reader");
        assertThat(said.status()).isZero();
        assertThat(said.text()).contains("account reader can only read").contains("PUBLIC");
        for (String revoke : said.text()
                .lines()
                .filter(line -> line.contains("PUBLIC, which is every account"))
                .flatMap(line ->
                        Arrays.stream(line.substring(line.indexOf("REVOKE")).split("; ")))
                .toList()) {
            pair.primary().execute(revoke);
        }
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        assertThat(connect(pair.standby().port(), "reader").text()).doesNotContain("PUBLIC");
    }

    @Test
    void anUnreadableSchemaIsReportedWithTheMissingGrant() throws IOException {
        Said said = connect(pair.standby().port(), "half");
        assertThat(said.text())
                .contains("account half cannot read all of de_pot")
                .contains("GRANT SELECT ON `de\\_pot`.* TO 'half'@'%'");
        assertThat(connect(pair.standby().port(), "reader").text())
                .contains("can read every schema of the primary")
                .doesNotContain("cannot read all");
    }

    @Test
    void viewsThatAreNotMirroredAreNamed() throws IOException {
        pair.primary()
                .execute(
                        "CREATE VIEW shop.lock_view AS SELECT GET_LOCK('a', 0) AS a",
                        "CREATE VIEW shop.one_view AS SELECT 1 AS a",
                        "CREATE VIEW de_pot.two_view AS SELECT 1 AS a",
                        "GRANT SHOW VIEW ON shop.* TO reader@'%'");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        try {
            assertThat(connect(pair.standby().port(), "reader").text())
                    .contains("may do more than read: shop.lock_view (side_effect_function)")
                    .contains("GRANT SHOW VIEW ON `de\\_pot`.* TO 'reader'@'%'")
                    .doesNotContain("one_view");
            pair.primary().execute("GRANT SHOW VIEW ON `de\\_pot`.* TO reader@'%'", "DROP VIEW shop.lock_view");
            pair.awaitCaughtUp(Duration.ofSeconds(20));
            assertThat(connect(pair.standby().port(), "reader").text()).contains("its 2 views only read");
        } finally {
            pair.primary().execute("DROP VIEW shop.one_view, de_pot.two_view");
            pair.awaitCaughtUp(Duration.ofSeconds(20));
        }
    }

    @Test
    void aPoolThatMirroringCannotWarmIsReported() throws IOException {
        pair.primary().execute("CREATE TABLE IF NOT EXISTS shop.pooled (id INT PRIMARY KEY)");
        pair.awaitCaughtUp(java.time.Duration.ofSeconds(20));
        String size = pair.standby().query("SELECT @@GLOBAL.innodb_buffer_pool_size");
        Said said = connect(pair.standby().port(), "reader");
        assertThat(said.text())
                .contains("less than half of its buffer pool")
                .contains("after an orderly restart it reads back 25 % of its pages by itself")
                .doesNotContain("no mirroring makes")
                .doesNotContain("random_read_ahead");
        String primarySize = pair.primary().query("SELECT @@GLOBAL.innodb_buffer_pool_size");
        try {
            pair.standby()
                    .execute(
                            "SET GLOBAL innodb_buffer_pool_dump_at_shutdown = OFF",
                            "SET GLOBAL innodb_random_read_ahead = ON");
            pair.primary().execute("SET GLOBAL innodb_buffer_pool_size = 2 * " + size);
            Said warned = connect(pair.standby().port(), "reader");
            assertThat(warned.text())
                    .contains("warning standby s1: innodb_buffer_pool_dump_at_shutdown is OFF")
                    .contains("warning standby s1: innodb_random_read_ahead is ON")
                    .contains("warning standby s1: its buffer pool has")
                    .contains("no mirroring makes the primary's pages fit");
            assertThat(warned.status()).isZero();
        } finally {
            pair.standby()
                    .execute(
                            "SET GLOBAL innodb_buffer_pool_dump_at_shutdown = ON",
                            "SET GLOBAL innodb_random_read_ahead = OFF");
            pair.primary().execute("SET GLOBAL innodb_buffer_pool_size = " + primarySize);
        }
    }
}
