package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.cli.Understudy;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code defragment --lower-super-read-only} on a MySQL replica, ended in the middle. */
@Timeout(300)
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
class SuperReadOnlyMySqlTest {
    private static final Duration MOST = Duration.ofSeconds(120);
    private static MySqlSemiSyncPair pair;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() throws Exception {
        pair = new MySqlSemiSyncPair();
        try (Connection connection = pair.connect();
                Statement primary = connection.createStatement()) {
            primary.execute("CREATE TABLE shop.held (id INT PRIMARY KEY)");
        }
        try (Connection connection = pair.connectReplica();
                Statement replica = connection.createStatement()) {
            PagesReplica.createAccount(replica, "SYSTEM_VARIABLES_ADMIN");
            MySqlSemiSyncPair.logIn(pair.replica(), "pages", "pages");
            await().atMost(MOST).ignoreExceptions().until(() -> replica.execute("SELECT id FROM shop.held"));
        }
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @AfterEach
    void heal() throws SQLException {
        try (Connection connection = pair.connectReplica();
                Statement replica = connection.createStatement()) {
            replica.execute("SET GLOBAL super_read_only = 0");
            replica.execute("SET GLOBAL read_only = 0");
        }
    }

    @Test
    void isSetAgainAfterTheLossOfTheConnection() throws Exception {
        try (Connection connection = pair.connectReplica();
                Statement replica = connection.createStatement()) {
            String log = whileHeld(
                    replica,
                    "SELECT CONCAT('KILL ', ID) FROM information_schema.PROCESSLIST WHERE USER = 'pages'"
                            + " AND COALESCE(INFO, '') NOT LIKE 'ALTER%'");

            assertThat(log).contains("super_read_only is 1 again");
            assertThat(CommitHarness.query(replica, "SELECT @@GLOBAL.super_read_only"))
                    .isEqualTo("1");
        }
    }

    /** To set super_read_only sets read_only too: the new primary would refuse all writes. */
    @Test
    void isLeftAloneOnAStandbyThatWasPromotedMeanwhile() throws Exception {
        try (Connection connection = pair.connectReplica();
                Statement replica = connection.createStatement()) {
            String log = whileHeld(replica, "SELECT 'SET GLOBAL read_only = 0'");

            assertThat(log).contains("the server is writable", "super_read_only stays 0");
            assertThat(CommitHarness.query(replica, "SELECT @@GLOBAL.read_only"))
                    .isEqualTo("0");
        }
    }

    /**
     * Runs a statement on the standby while a transaction holds up a rebuild. Returns the program's output.
     *
     * @param query returns the statement
     */
    private String whileHeld(Statement replica, String query) throws Exception {
        replica.execute("SET GLOBAL super_read_only = 1");
        StringWriter out = new StringWriter();
        String file = PagesReplica.configuration(folder, pair);
        try (Connection reader = pair.connectReplica();
                Statement holding = reader.createStatement()) {
            holding.execute("START TRANSACTION");
            holding.execute("SELECT COUNT(*) FROM shop.held");
            CommandLine program = Understudy.commandLine();
            program.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true));
            CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> program.execute(
                    "defragment",
                    "-c",
                    file,
                    "--server",
                    "s1",
                    "--disk-free",
                    "10GiB",
                    "--lower-super-read-only",
                    "shop.held"));
            await().atMost(MOST)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> code.isDone() || out.toString().contains("rebuilding"));

            replica.execute(CommitHarness.query(replica, query));

            assertThat(code.get(MOST.toSeconds(), TimeUnit.SECONDS))
                    .as("%s", out)
                    .isNotZero();
        }
        return out.toString();
    }
}
