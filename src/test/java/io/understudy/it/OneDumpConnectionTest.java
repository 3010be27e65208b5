package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.testkit.CapturedLog;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The primary's binary log is read once, whichever plugins want it, as the primary's own list of threads tells. */
@Tag("long")
@Timeout(300)
class OneDumpConnectionTest {
    /** For a machine with much else to do. */
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String COMMITS = "commit-latency: { poll: 100ms, slow: 0s, attribution: %s }";
    private static final String DOMAINS = "gtid-domain: { poll: 50ms, learn: 0s, binlog: %s }";

    private static EmbeddedServer server;

    @BeforeAll
    static void start() {
        server = EmbeddedServer.start(ServerOptions.of(1));
        server.execute(
                "CREATE DATABASE shop",
                "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100))",
                "CREATE USER monitor IDENTIFIED BY '" + CommitProxy.PASSWORD + "'",
                "GRANT ALL ON *.* TO monitor");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void nothingIsLeftOfTheLastTest() {
        awaitNoDump();
    }

    /** Ids of the primary's threads that send its binary log, with commas. */
    private static String dumps() {
        return server.query("SELECT GROUP_CONCAT(id ORDER BY id) FROM information_schema.processlist"
                + " WHERE command LIKE 'Binlog Dump%'");
    }

    /** Waits until one thread of the primary's sends its binary log; the views may say so before its list does. */
    private static String awaitDump(String otherThan) {
        await().atMost(LONG).until(() -> dumps().matches("\\d+") && !dumps().equals(otherThan));
        return dumps();
    }

    /** The primary notices that a connection is gone when it next writes to it, so it is given something to write. */
    private static void awaitNoDump() {
        await().atMost(LONG).until(() -> {
            server.execute("INSERT INTO shop.t (name) VALUES ('for the log')");
            return dumps().isEmpty();
        });
    }

    private static String config(String... plugins) {
        return """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: %s }
                admin: { enabled: false }
                plugins:
                %s""".formatted(
                server.port(), CommitProxy.PASSWORD, String.join("\n", plugins).indent(2));
    }

    private static String view(ProxyUnderTest proxy, String name) {
        return String.valueOf(Views.of(proxy.server().published(), name));
    }

    private static void awaitCommits(ProxyUnderTest proxy, String state) {
        await().atMost(LONG).until(() -> view(proxy, "commits").contains(state));
    }

    private static void awaitDomains(ProxyUnderTest proxy, String state) {
        await().atMost(LONG).until(() -> view(proxy, "domains").contains(state));
    }

    /** Commits that were split by their events. */
    private static long split(ProxyUnderTest proxy) {
        return proxy.server().histograms().all().stream()
                .filter(series -> series.name().equals("understudy_commit_execute_seconds"))
                .mapToLong(series -> series.histogram().count())
                .sum();
    }

    /** Transactions of the log that gtid-domain has seen. */
    private static long seen(ProxyUnderTest proxy) {
        Map<String, Object> view = Views.map(Views.of(proxy.server().published(), "domains"));
        return (long) Views.value(Views.map(Views.value(view, "guardState")), "binlogTransactions");
    }

    private static void insert(ProxyUnderTest proxy) throws SQLException {
        String url = "jdbc:mariadb://127.0.0.1:" + proxy.address().getPort() + "/shop?sslMode=disable";
        try (Connection application = DriverManager.getConnection(url, "monitor", CommitProxy.PASSWORD);
                Statement statement = application.createStatement()) {
            statement.executeUpdate("INSERT INTO t (name) VALUES ('a')");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothPluginsReadOneConnection(boolean commitsFirst) throws Exception {
        try (CapturedLog log = new CapturedLog();
                ProxyUnderTest proxy = ProxyUnderTest.start(ordered(commitsFirst, "auto", true))) {
            awaitCommits(proxy, "active=binlog");
            awaitDomains(proxy, "binlog=reading");
            awaitDump("");
            insert(proxy);
            await().atMost(LONG).until(() -> split(proxy) == 1 && seen(proxy) == 1);
            assertThat(log.text()).containsOnlyOnce("reading the primary's binary log from");
        }
        awaitNoDump();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theConnectionStaysWhileOnePluginNeedsIt(boolean commitsFirst) throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(ordered(commitsFirst, "auto", true))) {
            awaitCommits(proxy, "active=binlog");
            awaitDomains(proxy, "binlog=reading");
            String dump = awaitDump("");

            assertThat(proxy.reload(ordered(commitsFirst, "auto", false))).isEmpty();
            awaitDomains(proxy, "binlog=switched off");
            insert(proxy);
            await().atMost(LONG).until(() -> split(proxy) == 1);
            assertThat(seen(proxy)).isZero();
            assertThat(dumps()).as("gtid-domain has left").isEqualTo(dump);

            assertThat(proxy.reload(ordered(commitsFirst, "auto", true))).isEmpty();
            awaitDomains(proxy, "binlog=reading");
            assertThat(proxy.reload(ordered(commitsFirst, "off", true))).isEmpty();
            awaitCommits(proxy, "active=off");
            insert(proxy);
            await().atMost(LONG).until(() -> seen(proxy) == 1);
            assertThat(dumps()).as("commit-latency has left").isEqualTo(dump);
            assertThat(view(proxy, "commits")).contains("binlogGaps={}").contains("unattributed={no_binlog=1}");

            assertThat(proxy.reload(ordered(commitsFirst, "off", false))).isEmpty();
            awaitNoDump();
            assertThat(proxy.reload(ordered(commitsFirst, "binlog", false))).isEmpty();
            awaitCommits(proxy, "active=binlog");
            awaitDump(dump);
            insert(proxy);
            await().atMost(LONG).until(() -> split(proxy) == 2);
        }
        awaitNoDump();
    }

    private static String ordered(boolean commitsFirst, String attribution, boolean binlog) {
        String commits = COMMITS.formatted(attribution);
        String domains = DOMAINS.formatted(binlog);
        return commitsFirst ? config(commits, domains) : config(domains, commits);
    }

    /** The log is left when the connection breaks, and joined again by both. */
    @Test
    void bothAreToldWhenTheConnectionBreaks() throws Exception {
        try (CapturedLog log = new CapturedLog();
                ProxyUnderTest proxy = ProxyUnderTest.start(ordered(true, "auto", true))) {
            awaitCommits(proxy, "active=binlog");
            awaitDomains(proxy, "binlog=reading");
            String dump = awaitDump("");
            server.execute("KILL " + dump);
            awaitCommits(proxy, "binlogGaps={connection=1}");
            // Both views may say still what was true before.
            awaitDump(dump);
            awaitCommits(proxy, "active=binlog");
            awaitDomains(proxy, "binlog=reading");
            List<String> lines = log.text().lines().toList();
            assertThat(lines)
                    .filteredOn(line -> line.contains("no binary log from the primary"))
                    .hasSize(1);
            insert(proxy);
            await().atMost(LONG).until(() -> split(proxy) == 1 && seen(proxy) == 1);
        }
        awaitNoDump();
    }
}
