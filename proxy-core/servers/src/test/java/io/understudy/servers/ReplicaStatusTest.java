package io.understudy.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.testkit.Fakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplicaStatusTest {
    private static final ReplicaStatus MARIADB = new ReplicaStatus(Map.of(
            "connection_name", "a",
            "master_host", "db1",
            "master_port", "3306",
            "master_server_id", "7",
            "slave_io_running", "Yes",
            "slave_sql_running", "No",
            "using_gtid", "Slave_Pos",
            "last_sql_errno", "1062",
            "gtid_io_pos", "0-7-5"));

    private static final ReplicaStatus MYSQL = new ReplicaStatus(Map.of(
            "channel_name", "",
            "source_host", "db1",
            "source_port", "3306",
            "source_server_id", "0",
            "source_uuid", "u",
            "replica_io_running", "Connecting",
            "replica_sql_running", "Yes",
            "auto_position", "1",
            "seconds_behind_source", "3",
            "retrieved_gtid_set", "u:1-5"));

    /** SHOW SLAVE STATUS of MySQL 5.7. */
    private static final ReplicaStatus FORMER = new ReplicaStatus(Map.of(
            "master_host", "db1",
            "master_port", "3306",
            "master_uuid", "u",
            "slave_io_running", "Yes",
            "slave_sql_running", "Yes",
            "auto_position", "0",
            "seconds_behind_master", "4"));

    @Test
    void theProductsHaveDifferentColumns() {
        assertThat(MARIADB.name()).isEqualTo("a");
        assertThat(MARIADB.source()).isEqualTo(MYSQL.source()).isEqualTo("db1:3306");
        assertThat(MARIADB.receives()).isTrue();
        assertThat(MARIADB.applies()).isFalse();
        assertThat(MARIADB.applierErrno()).isEqualTo(1062);
        assertThat(MARIADB.secondsBehind()).isEmpty();
        assertThat(MARIADB.received()).isEqualTo("0-7-5");
        assertThat(MYSQL.receives()).isFalse();
        assertThat(MYSQL.applies()).isTrue();
        assertThat(MYSQL.secondsBehind()).hasValue(3);
        assertThat(new ReplicaStatus(Map.of("replica_io_running", "No", "seconds_behind_source", "0")).secondsBehind())
                .as("MySQL's receiver has stopped within a transaction")
                .isEmpty();
        assertThat(MYSQL.received()).isEqualTo("u:1-5");
        assertThat(FORMER.receives()).isTrue();
        assertThat(FORMER.secondsBehind()).hasValue(4);
    }

    @Test
    void gtidsHaveASettingOfTheirOwnInEachProduct() {
        assertThat(MARIADB.isByGtid()).isTrue();
        assertThat(new ReplicaStatus(Map.of("using_gtid", "No")).isByGtid()).isFalse();
        assertThat(MYSQL.isByGtid()).isTrue();
        assertThat(FORMER.isByGtid()).isFalse();
    }

    @Test
    void theSourceIsKnownByItsUuidOrItsServerId() {
        assertThat(MYSQL.isFrom("u", "1")).isTrue();
        assertThat(MYSQL.isFrom("v", "0")).isFalse();
        assertThat(MARIADB.isFrom("", "7")).isTrue();
        assertThat(MARIADB.isFrom("", "8")).isFalse();
        assertThat(new ReplicaStatus(Map.of("master_server_id", "0")).isFrom("", "0"))
                .isNull();
    }

    /** As an address of the configuration has it. */
    @Test
    void anIpv6AddressIsInBrackets() {
        assertThat(new ReplicaStatus(Map.of("master_host", "fd00::2", "master_port", "3306")).source())
                .isEqualTo("[fd00::2]:3306");
    }

    /** As MySQL 9.7 has it with parallel workers. */
    @Test
    void theErrorOfAWorkerTakesThePlaceOfItsCoordinators() throws Exception {
        String coordinators = "Coordinator stopped because there were error(s) in the worker(s). See"
                + " performance_schema.replication_applier_status_by_worker";
        assertThat(stopped(coordinators, "Duplicate entry '1'").applierError()).isEqualTo("Duplicate entry '1'");
        assertThat(stopped(coordinators, null).applierError()).isEqualTo(coordinators);
        assertThat(stopped("Table is full", "Duplicate entry '1'").applierError())
                .isEqualTo("Table is full");
    }

    /** @param worker its error; null if the account may not read it */
    private static ReplicaStatus stopped(String error, @Nullable String worker) throws SQLException {
        Statement statement = Fakes.of(Statement.class, (proxy, method, arguments) -> {
            if (!method.getName().equals("executeQuery")) {
                return null;
            }
            boolean status = arguments[0].equals("SHOW REPLICA STATUS");
            if (!status && worker == null) {
                throw new SQLException("SELECT command denied", "42000", 1142);
            }
            return row(status ? "Last_SQL_Error" : "LAST_ERROR_MESSAGE", status ? error : worker);
        });
        Connection connection =
                Fakes.of(Connection.class, Map.of("createStatement", (Fakes.Result) arguments -> statement));
        return ReplicaStatus.of(ServerQueries.brief(connection), ServerFlavor.MYSQL)
                .get(0);
    }

    private static ResultSet row(String column, @Nullable String value) {
        ResultSetMetaData one = Fakes.of(
                ResultSetMetaData.class,
                (proxy, method, arguments) -> method.getName().equals("getColumnCount") ? 1 : column);
        AtomicInteger left = new AtomicInteger(1);
        return Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> left.getAndDecrement() > 0;
            case "getMetaData" -> one;
            case "getString" -> value;
            default -> null;
        });
    }
}
