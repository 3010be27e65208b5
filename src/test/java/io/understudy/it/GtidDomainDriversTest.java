package io.understudy.it;

import static io.understudy.it.DomainPair.one;
import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Statements and batches as drivers send them: {@code gtid-domain} tags each of them, and none of them holds a table
 * back.
 */
@Timeout(240)
@Tag("long")
class GtidDomainDriversTest {
    private static final String RULES = """
            mode: tag
            guard: pin
            learn: 0s
            poll: 20ms
            rules: [ { name: archive, match: { table: archive }, domain: 18 } ]
            """;

    private static final String MARIADB = "mariadb";
    private static final String MYSQL = "mysql";

    private static DomainPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = DomainPair.start();
        pair.primary().execute("CREATE TABLE dom.archive (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
        pair.awaitCaughtUp();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private static Connection connect(DomainProxy proxy, String driver, String options) throws SQLException {
        int port = ((InetSocketAddress) proxy.server().addresses().get(0)).getPort();
        return DriverManager.getConnection("jdbc:" + driver + "://127.0.0.1:" + port
                + "/dom?sslMode=disabled&user=tagger&password=" + DomainPair.PASSWORD + options);
    }

    @ParameterizedTest
    @CsvSource({
        MARIADB + ", ''",
        MARIADB + ", &useServerPrepStmts=true",
        MARIADB + ", &useServerPrepStmts=true&useBulkStmts=true",
        MARIADB + ", &useServerPrepStmts=true&disablePipeline=true",
        MYSQL + ", ''",
        MYSQL + ", &useServerPrepStmts=true",
        MYSQL + ", &useServerPrepStmts=true&cachePrepStmts=true",
        MYSQL + ", &rewriteBatchedStatements=true",
        MYSQL + ", &useServerPrepStmts=true&rewriteBatchedStatements=true"
    })
    void everyWriteIsTagged(String driver, String options) throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection primary = pair.direct(pair.primary());
                Connection connection = connect(proxy, driver, options)) {
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                proxy.awaitGuard();
                run(connection, "DELETE FROM archive WHERE id = 0");
                run(connection, "INSERT INTO archive (v) VALUES (1)");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("18-");
            });
            String before = inDefaultDomain(primary);
            double kept = proxy.count("kept_default");
            for (int i = 0; i < 10; i++) {
                single(connection, i);
            }
            try (PreparedStatement again = connection.prepareStatement("UPDATE archive SET v = v + ? WHERE id = ?")) {
                for (int i = 1; i <= 10; i++) {
                    again.setInt(1, i);
                    again.setInt(2, i);
                    again.executeUpdate();
                }
            }
            batch(connection, "INSERT INTO archive (v) VALUES (?)", 1);
            batch(connection, "UPDATE archive SET v = v + ?", 1);
            batch(connection, "REPLACE INTO archive (v, id) VALUES (?, ?)", 2);
            String state = options + " " + proxy.state();
            assertThat(inDefaultDomain(primary)).as(state).isEqualTo(before);
            assertThat(proxy.conflicts()).as(state).isZero();
            assertThat(proxy.count("kept_default")).as(state).isEqualTo(kept);
            run(connection, "UPDATE archive SET v = v + 1");
            assertThat(one(connection, "SELECT @@last_gtid")).as(state).startsWith("18-");
            assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("0");
        }
        pair.awaitCaughtUp();
    }

    private static void single(Connection connection, int v) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO archive (v) VALUES (?)")) {
            statement.setInt(1, v);
            statement.executeUpdate();
        }
    }

    private static void batch(Connection connection, String sql, int parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 1; i <= 20; i++) {
                statement.setInt(1, i);
                if (parameters > 1) {
                    statement.setInt(2, i);
                }
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** Returns the last sequence number of the default domain. */
    private static String inDefaultDomain(Connection primary) throws SQLException {
        return one(primary, "SELECT REGEXP_SUBSTR(@@gtid_binlog_pos, '(^|,)0-[0-9]+-[0-9]+')");
    }
}
