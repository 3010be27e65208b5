package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A command may commit more than once: texts of several statements, and procedures that commit. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("long")
class CommitsPerCommandTest {
    private static final String PLUGIN = "poll: 100ms, expire: 1s";
    private static final int ATTEMPTS = 4;

    private static EmbeddedServer server;
    private static CommitProxy proxy;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedServer.start(ServerOptions.of(1).withArguments("--log-bin=binlog", "--binlog-format=ROW"));
        server.execute(
                "CREATE DATABASE shop",
                "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)",
                "CREATE PROCEDURE shop.twice() BEGIN START TRANSACTION; INSERT INTO t (v) VALUES (1); COMMIT;"
                        + " START TRANSACTION; INSERT INTO t (v) VALUES (2); COMMIT; END",
                "CREATE PROCEDURE shop.thrice() BEGIN INSERT INTO t (v) VALUES (1); SELECT 1;"
                        + " INSERT INTO t (v) VALUES (2); INSERT INTO t (v) VALUES (3); END",
                "CREATE PROCEDURE shop.failing() BEGIN INSERT INTO t (v) VALUES (1); INSERT INTO t (v) VALUES (2);"
                        + " SIGNAL SQLSTATE '45000'; END",
                "CREATE PROCEDURE shop.digested() BEGIN INSERT INTO t (v) VALUES (1);"
                        + " INSERT INTO t (v) VALUES (2); END",
                "CREATE PROCEDURE shop.reading() BEGIN SELECT 1; SELECT COUNT(*) FROM t; END",
                "CREATE USER monitor IDENTIFIED BY '" + CommitProxy.PASSWORD + "'",
                "GRANT REPLICATION SLAVE ON *.* TO monitor",
                "CREATE USER app IDENTIFIED BY '" + CommitProxy.PASSWORD + "'",
                "GRANT ALL ON shop.* TO app");
        proxy = new CommitProxy(server.address(), PLUGIN).streaming();
    }

    @AfterAll
    static void stop() {
        proxy.close();
        server.close();
    }

    /** Every transaction that the command has added to the binary log is counted once. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            INSERT INTO t (v) VALUES (1); INSERT INTO t (v) VALUES (2)                 | 2
            INSERT INTO t (v) VALUES (1); SELECT 1; INSERT INTO t (v) VALUES (2)       | 2
            BEGIN; INSERT INTO t (v) VALUES (1); COMMIT; INSERT INTO t (v) VALUES (2)  | 2
            INSERT INTO t (v) VALUES (1); INSERT INTO nowhere (v) VALUES (2)           | 1
            CALL twice()                                                               | 2
            CALL thrice()                                                              | 3
            CALL failing()                                                             | 2
            CALL reading()                                                             | 0
            EXECUTE IMMEDIATE 'CALL twice()'                                           | 2
            BEGIN NOT ATOMIC CALL twice(); CALL twice(); END                           | 4
            """)
    void everyTransactionIsCounted(String sql, int transactions) throws Exception {
        for (String options : new String[] {"&allowMultiQueries=true", "&useServerPrepStmts=true"}) {
            if (options.contains("Prep") && (!sql.startsWith("CALL") || sql.contains("EXECUTE"))) {
                continue;
            }
            awaitCounted(sql, options, transactions);
        }
    }

    /**
     * Runs the statement until its transactions are counted. More than there are fails at once. Fewer may be counted on
     * a busy machine: a commit of a CALL whose event arrives later than 100 ms after the response counts as another
     * writer's, and so do those of the next minute, for which a new proxy knows nothing of it.
     */
    private static void awaitCounted(String sql, String options, int transactions) throws Exception {
        for (int attempt = 1; ; attempt++) {
            long before = timed();
            long logged = logged();
            run(sql, options);
            assertThat(logged() - logged).as("transactions in the log").isEqualTo(transactions);
            // Another commit behind it: when that is in, and time to find more has passed, the count is final.
            run("INSERT INTO t (v) VALUES (9)", "");
            try {
                await().atMost(Duration.ofSeconds(20)).until(() -> timed() - before == transactions + 1L);
                return;
            } catch (ConditionTimeoutException e) {
                assertThat(timed() - before).as("%s %s", sql, options).isLessThanOrEqualTo(transactions + 1L);
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                proxy.close();
                proxy = new CommitProxy(server.address(), PLUGIN).streaming();
            }
        }
    }

    @Test
    void theCallsDigestHasAllItsCommits() throws Exception {
        double unclaimed = proxy.counter("understudy.commits.unclaimed");
        for (int i = 0; i < 7; i++) {
            run("CALL digested()", "");
        }
        // MariaDB 11.4 does not log which connection wrote: what cannot be told for sure is unclaimed, and lost is
        // nothing.
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            long told = digested();
            assertThat(told).isGreaterThanOrEqualTo(7);
            assertThat(told + proxy.counter("understudy.commits.unclaimed") - unclaimed)
                    .isEqualTo(14);
        });
    }

    /** Returns the commits of the CALL's own digest; 0 if it is not listed. */
    private static long digested() {
        byte[] call = "CALL digested()".getBytes(StandardCharsets.US_ASCII);
        String digest = new SqlAnalyzer()
                .summarize(call, 0, call.length, SqlModes.MARIADB)
                .digestHex();
        String view = proxy.view();
        Matcher line = Pattern.compile("Line\\[key=" + digest + ", commits=(\\d+),")
                .matcher(view.substring(view.indexOf("digests=")));
        return line.find() ? Long.parseLong(line.group(1)) : 0;
    }

    /**
     * MariaDB 11.4 does not log which connection wrote: with another writer past the proxy the first commit stays
     * unclaimed.
     */
    @Test
    @Order(Integer.MAX_VALUE) // what it writes makes calls of the next minute unclear
    void anotherWriterMakesACallsEarlierCommitsUnclear() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch wrote = new CountDownLatch(1);
        Thread writer = new Thread(() -> {
            while (!over.get()) {
                server.execute("INSERT INTO shop.t (v) VALUES (7)");
                wrote.countDown();
            }
        });
        long before = timed();
        writer.start();
        try {
            assertThat(wrote.await(20, TimeUnit.SECONDS)).isTrue();
            run("CALL twice()", "");
        } finally {
            over.set(true);
            writer.join();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.counter("understudy.commits.unclaimed") > 0);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(timed() - before)
                        .as("only what the response tells")
                        .isEqualTo(1));
    }

    private static long timed() {
        return proxy.timed("commit") + proxy.timed("autocommit");
    }

    private static void run(String sql, String options) throws SQLException {
        try (Connection application = proxy.connect("app", options);
                PreparedStatement statement = application.prepareStatement(sql)) {
            boolean rows = statement.execute();
            while (rows || statement.getUpdateCount() >= 0) {
                rows = statement.getMoreResults();
            }
        } catch (SQLException e) {
            assertThat(sql).as(e.getMessage()).matches(".*(failing|nowhere).*");
        }
    }

    private static long logged() throws Exception {
        try (Connection direct = server.connect();
                Statement statement = direct.createStatement();
                ResultSet rows = statement.executeQuery("SELECT @@gtid_binlog_pos")) {
            rows.next();
            String position = rows.getString(1);
            return Long.parseLong(position.substring(position.lastIndexOf('-') + 1));
        }
    }
}
