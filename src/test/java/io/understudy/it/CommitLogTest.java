package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.testkit.CapturedLog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks the log lines of {@code commit-latency}: remedies, and slow commits with their components. */
@Timeout(120)
class CommitLogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern SLOW =
            Pattern.compile("slow commit: ([\\d.]+) ms, kind autocommit, session \\d+, user app,"
                    + " schema shop, digest [0-9a-f]{16}: execution and flush ([\\d.]+), queued behind other"
                    + " acknowledgements ([\\d.]+),"
                    + " own acknowledgement ([\\d.]+)");

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void stop() {
        log.close();
    }

    private static EmbeddedServer server(String... arguments) {
        EmbeddedServer server = EmbeddedServer.start(ServerOptions.of(1).withArguments(arguments));
        String password = " IDENTIFIED BY '" + CommitProxy.PASSWORD + "'";
        server.execute(
                "CREATE USER nobody" + password,
                "CREATE USER monitor" + password,
                "GRANT REPLICATION SLAVE ON *.* TO monitor");
        return server;
    }

    private void awaitLine(String... parts) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(log.text().lines())
                        .anySatisfy(line -> assertThat(line).contains(parts)));
    }

    @Tag("long")
    @Test
    void missingPrivilegeUsedServerIdAndStatementFormatAreLoggedWithRemedies() throws Exception {
        try (EmbeddedServer server = server()) {
            try (CommitProxy proxy = new CommitProxy(server.address(), "nobody", "")) {
                awaitLine(
                        "WARN",
                        "no binary log from the primary",
                        "GRANT REPLICATION SLAVE ON *.* TO",
                        "primary.monitor");
                awaitLine("WARN", "known only as averages of the server's counters");
            }
            try (CommitProxy proxy = new CommitProxy(server.address(), "nobody", "attribution: binlog")) {
                awaitLine("WARN", "commits are timed but not attributed", "GRANT REPLICATION SLAVE");
            }
            try (CommitProxy first = new CommitProxy(server.address(), "serverId: 4711").streaming();
                    CommitProxy second = new CommitProxy(server.address(), "serverId: 4711").streaming()) {
                awaitLine("WARN", "give plugins.commit-latency.serverId a number that no server has");
            }
            server.execute("SET GLOBAL binlog_format = 'STATEMENT'");
            try (CommitProxy proxy = new CommitProxy(server.address(), "").streaming()) {
                awaitLine("WARN", "binlog_format=STATEMENT", "set binlog_format=ROW");
            }
        }
    }

    @Test
    void aDisabledBinaryLogIsLoggedWithTheRemedy() throws Exception {
        try (EmbeddedServer server = server("--skip-log-bin");
                CommitProxy proxy = new CommitProxy(server.address(), "")) {
            awaitLine("WARN", "the primary writes no binary log", "start the primary with log_bin");
        }
    }

    /** Stopping the proxy is not logged as a fault of the binary log. */
    @Test
    void stoppingIsNotLoggedAsAFault() throws Exception {
        try (EmbeddedServer server = server()) {
            new CommitProxy(server.address(), "").streaming().close();
            assertThat(log.text()).contains("reading the primary's binary log").doesNotContain("no binary log");
        }
    }

    @Test
    void aSlowCommitIsLoggedWithItsComponents() throws Exception {
        try (MariaDbSemiSyncPair pair = new MariaDbSemiSyncPair();
                CommitProxy proxy = new CommitProxy(pair.address(), "slow: 300ms").streaming();
                Connection application = proxy.connect("app", "");
                Statement statement = application.createStatement()) {
            statement.execute("CREATE TABLE slow (id INT PRIMARY KEY)");
            statement.executeUpdate("INSERT INTO slow VALUES (1)");
            pair.link().delay(Duration.ofMillis(150));
            statement.executeUpdate("INSERT INTO slow SELECT 2 FROM (SELECT SLEEP(0.2)) AS pause");
            await().atMost(PATIENCE).until(() -> SLOW.matcher(log.text()).find());
            Matcher slow = SLOW.matcher(log.text());
            assertThat(slow.find()).isTrue();
            String line = log.text()
                    .lines()
                    .filter(one -> SLOW.matcher(one).find())
                    .findFirst()
                    .orElseThrow();
            try (ResultSet thread = statement.executeQuery("SELECT CONNECTION_ID()")) {
                assertThat(thread.next()).isTrue();
                assertThat(line).contains(" serverThreadId=" + thread.getLong(1) + " ");
            }
            double execute = Double.parseDouble(slow.group(2));
            double acknowledgement = Double.parseDouble(slow.group(4));
            assertThat(execute).isGreaterThanOrEqualTo(200);
            // The commit's event ends the execution when the proxy reads it, which a busy machine delays by some ms, at
            // the
            // cost of the acknowledgement. The sum does not depend on it.
            assertThat(acknowledgement).isBetween(100.0, 2000.0);
            assertThat(Double.parseDouble(slow.group(1))).isGreaterThanOrEqualTo(349);
            assertThat(execute + Double.parseDouble(slow.group(3)) + acknowledgement)
                    .isCloseTo(Double.parseDouble(slow.group(1)), org.assertj.core.data.Offset.offset(0.2));
            assertThat(slow.find()).as("only the one that was slow").isFalse();
        }
    }
}
