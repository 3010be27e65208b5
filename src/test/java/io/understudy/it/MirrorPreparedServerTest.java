package io.understudy.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Prepared reads and their values, as a real standby receives them. */
@Timeout(120)
class MirrorPreparedServerTest extends MirroredPair {
    @Test
    void preparedReadsArriveWithTheirValuesEachTime() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection mariadb = proxy.mariadb("&useServerPrepStmts=true");
                Connection mysql = proxy.mysql("&useServerPrepStmts=true")) {
            executeSome(mariadb, "prepared-mariadb");
            executeSome(mysql, "prepared-mysql");

            for (String marker : List.of("prepared-mariadb", "prepared-mysql")) {
                await().until(() -> executions(marker).size() == 5);
                assertThat(executions(marker))
                        .allMatch(line -> line.schema().equals("shop"))
                        .extracting(GeneralLog.Line::text)
                        .containsExactlyInAnyOrder(
                                expanded(marker, 1),
                                expanded(marker, 2),
                                expanded(marker, 3),
                                expanded(marker, 4),
                                "SELECT note FROM orders /* " + marker + " */ WHERE id = NULL AND note <> NULL");
            }
            assertThat(proxy.executed("error")).isZero();
            assertThat(proxy.dropped()).isZero();
        }
    }

    private static void executeSome(Connection connection, String marker) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT note FROM orders /* " + marker + " */ WHERE id = ? AND note <> ?")) {
            for (int id = 1; id <= 4; id++) {
                statement.setInt(1, id);
                statement.setString(2, "value " + id);
                try (ResultSet rows = statement.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                }
            }
            statement.setNull(1, java.sql.Types.INTEGER);
            statement.setNull(2, java.sql.Types.VARCHAR);
            statement.executeQuery().close();
        }
    }

    private static String expanded(String marker, int id) {
        return "SELECT note FROM orders /* " + marker + " */ WHERE id = " + id + " AND note <> 'value " + id + "'";
    }

    private static List<GeneralLog.Line> executions(String marker) throws SQLException {
        return log.of(MIRROR, marker).stream()
                .filter(line -> line.command().equals("Execute"))
                .toList();
    }

    /** Values that the drivers send ahead of the execution go to the standby ahead of it too. */
    @Test
    void valuesSentAheadArriveWithTheExecution() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection mariadb = proxy.mariadb("&useServerPrepStmts=true");
                Connection mysql = proxy.mysql("&useServerPrepStmts=true")) {
            for (Map.Entry<String, Connection> one :
                    Map.of("ahead-mariadb", mariadb, "ahead-mysql", mysql).entrySet()) {
                String marker = one.getKey();
                String sql = "SELECT note FROM orders /* " + marker + " */ WHERE id = ? AND note <> ?";
                try (PreparedStatement statement = one.getValue().prepareStatement(sql)) {
                    for (int id = 1; id <= 3; id++) {
                        statement.setInt(1, id);
                        statement.setBinaryStream(2, new ByteArrayInputStream(("ahead of " + id).getBytes(US_ASCII)));
                        try (ResultSet rows = statement.executeQuery()) {
                            assertThat(rows.next()).isTrue();
                        }
                    }
                    // Longer than what is inspected of a session's statements.
                    statement.setInt(1, 9);
                    statement.setBinaryStream(2, new ByteArrayInputStream(new byte[200_000]));
                    statement.executeQuery().close();
                    statement.setInt(1, 4);
                    statement.setString(2, "ahead of 4");
                    statement.executeQuery().close();
                }
                await().until(() -> executions(marker).size() == 4);
                assertThat(executions(marker))
                        .extracting(GeneralLog.Line::text)
                        .anyMatch(text -> text.contains("id = 1 AND") && text.contains("'ahead of 1'"))
                        .anyMatch(text -> text.contains("id = 2 AND") && text.contains("'ahead of 2'"))
                        .anyMatch(text -> text.contains("id = 3 AND") && text.contains("'ahead of 3'"))
                        .anyMatch(text -> text.contains("id = 4 AND") && text.contains("'ahead of 4'"));
            }
            assertThat(proxy.skipped("long_data") + proxy.skipped("too_long")).isEqualTo(2);
            assertThat(proxy.executed("error")).isZero();
            assertThat(proxy.dropped()).isZero();
        }
    }

    @Test
    void readsWithACursorArriveOnce() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection mariadb = proxy.mariadb("&useServerPrepStmts=true");
                Connection mysql = proxy.mysql("&useServerPrepStmts=true&useCursorFetch=true")) {
            for (Map.Entry<String, Connection> one :
                    Map.of("cursor-mariadb", mariadb, "cursor-mysql", mysql).entrySet()) {
                String marker = one.getKey();
                try (PreparedStatement statement = one.getValue()
                        .prepareStatement("SELECT note FROM orders /* " + marker + " */ WHERE id > ? ORDER BY id")) {
                    statement.setFetchSize(7);
                    for (int i = 0; i < 2; i++) {
                        statement.setInt(1, 100 * i);
                        int rows = 0;
                        try (ResultSet result = statement.executeQuery()) {
                            while (result.next()) {
                                rows++;
                            }
                        }
                        assertThat(rows).isEqualTo(200 - 100 * i);
                    }
                }
                await().until(() -> executions(marker).size() == 2);
            }
            await().until(() -> proxy.waiting("statements") == 0);
            assertThat(proxy.executed("error")).isZero();
            assertThat(proxy.dropped()).isZero();
        }
    }

    @Test
    void aBulkExecutionStaysAwayAndReadsGoOn() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection connection = proxy.mariadb("&useServerPrepStmts=true&useBulkStmts=true")) {
            try (PreparedStatement statement =
                    connection.prepareStatement("INSERT INTO customers /* bulk-1 */ VALUES (?, ?)")) {
                for (int id = 100; id < 110; id++) {
                    statement.setInt(1, id);
                    statement.setString(2, "bulk");
                    statement.addBatch();
                }
                statement.executeBatch();
            }
            flush(proxy, connection, "after-bulk");
            assertThat(texts("bulk-1")).isEmpty();
            assertThat(proxy.skipped("writes")).isPositive();
            assertThat(proxy.executed("error")).isZero();
        }
    }

    /** Names in a prepared statement mean what they meant when it was prepared, whatever USE comes since. */
    @Test
    void anExecutionRunsInTheSchemaOfItsPreparation() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection connection = proxy.mysql("&useServerPrepStmts=true"); // prepares at once
                PreparedStatement statement =
                        connection.prepareStatement("SELECT note FROM orders /* prepared-there */ WHERE id = ?")) {
            connection.setCatalog("depot");
            for (int id = 1; id <= 2; id++) {
                statement.setInt(1, id);
                try (ResultSet rows = statement.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                }
            }
            await().until(() -> executions("prepared-there").size() == 2);
            assertThat(executions("prepared-there"))
                    .extracting(GeneralLog.Line::schema)
                    .containsOnly("shop");
            assertThat(proxy.executed("error")).isZero();
        }
    }
}
