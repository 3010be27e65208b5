package io.understudy.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicaRemedyTest {
    private static ReplicaStatus channel(String name, String running, int errno, String error) {
        return new ReplicaStatus(Map.of(
                "connection_name",
                name,
                "master_host",
                "db1",
                "master_port",
                "3306",
                "master_user",
                "repl",
                "slave_io_running",
                running,
                "slave_sql_running",
                "Yes",
                "last_io_errno",
                String.valueOf(errno),
                "last_io_error",
                error,
                "last_sql_errno",
                String.valueOf(errno)));
    }

    /** Products number the same fault differently. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | Connecting | 1045  | on the standby: STOP SLAVE; CHANGE MASTER TO MASTER_USER = '…', ",
                "true  | Connecting | 4151  | on the standby: STOP SLAVE; CHANGE MASTER TO MASTER_USER = '…', ",
                "false | No         | 3118  | on the standby: STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_USER",
                "false | Connecting | 2061  | on the standby: STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_SSL",
                "true  | Connecting | 1597  | on the primary: GRANT REPLICATION SLAVE ON *.* TO 'repl'@'…'",
                "false | Connecting | 13120 | on the primary: GRANT REPLICATION SLAVE ON *.* TO 'repl'@'…'",
                "true  | Connecting | 2003  | let it reach db1:3306 (",
                "true  | No         | 2003  | on the standby: START SLAVE IO_THREAD",
                "false | No         | 0     | on the standby: START REPLICA IO_THREAD",
                "true  | No         | 1593  | mend the error, then on the standby: START SLAVE IO_THREAD",
                "true  | Connecting | 2026  | mend the error: it tries again by itself",
                "true  | Connecting | 0     | it is connecting: ask again"
            })
    void theReceiversRemedyFitsItsError(boolean mariaDb, String running, int errno, String remedy) {
        assertThat(ReplicaRemedy.ofReceiver(channel("", running, errno, "…"), mariaDb))
                .startsWith(remedy);
    }

    /** Of an old primary it may be all that is left of what clients were told. */
    @Test
    void whatThePrimaryLacksIsBroughtThereBeforeItIsBuiltAnew() {
        assertThat(ReplicaRemedy.ofReceiver(channel("", "No", 1236, "Got fatal error 1236"), true))
                .containsSubsequence("do not start it", "understudy report lost, understudy rescue", "build it anew");
    }

    @Test
    void aNamedConnectionIsNamedAsItsProductDoes() {
        ReplicaStatus named = channel("a", "Connecting", 1045, "Access denied");
        assertThat(ReplicaRemedy.ofReceiver(named, true))
                .contains("STOP SLAVE 'a'; CHANGE MASTER 'a' TO MASTER_USER", "; START SLAVE 'a',");
        assertThat(ReplicaRemedy.ofReceiver(named, false))
                .contains(
                        "STOP REPLICA FOR CHANNEL 'a'; CHANGE", "'…' FOR CHANNEL 'a'; START REPLICA FOR CHANNEL 'a',");
        assertThat(ReplicaRemedy.ofApplier(named, true))
                .isEqualTo("mend the error, then on the standby: START SLAVE 'a' SQL_THREAD");
        assertThat(ReplicaRemedy.ofApplier(named, false))
                .isEqualTo("mend the error, then on the standby: START REPLICA SQL_THREAD FOR CHANNEL 'a'");
    }

    /** A change of the source throws the relay logs away. */
    @Test
    void whatWasReceivedIsAppliedBeforeAChange() {
        Map<String, String> stopped =
                new HashMap<>(channel("a", "Connecting", 1045, "Access denied").columns());
        stopped.put("slave_sql_running", "No");
        stopped.put("last_sql_errno", "0");
        stopped.put("gtid_io_pos", "0-1-9");
        assertThat(ReplicaRemedy.ofReceiver(new ReplicaStatus(stopped), true))
                .contains("first", ": START SLAVE 'a' SQL_THREAD; then SELECT MASTER_GTID_WAIT('0-1-9', 60), until")
                .contains("0; then STOP SLAVE 'a'; CHANGE MASTER 'a' TO MASTER_USER");
        assertThat(ReplicaRemedy.ofReceiver(new ReplicaStatus(stopped), false))
                .contains("START REPLICA SQL_THREAD FOR CHANNEL 'a'; then wait until SHOW REPLICA STATUS FOR CHANNEL");
        Map<String, String> behind =
                new HashMap<>(channel("", "Connecting", 1045, "Access denied").columns());
        behind.putAll(Map.of("master_log_file", "b.1", "read_master_log_pos", "9"));
        behind.putAll(Map.of("relay_master_log_file", "b.1", "exec_master_log_pos", "4"));
        assertThat(ReplicaRemedy.ofReceiver(new ReplicaStatus(behind), true))
                .startsWith("first")
                .contains("wait until it has applied");
        behind.put("exec_master_log_pos", "9");
        assertThat(ReplicaRemedy.ofReceiver(new ReplicaStatus(behind), true)).startsWith("on the standby: STOP");
    }

    /** MDEV-4698: a thread that starts while neither runs deletes the relay logs, which may be the only copy. */
    @Test
    void whatAStartThrowsAwayIsNotStartedWithoutItsSource() {
        Map<String, String> stopped = new HashMap<>(channel("a", "No", 0, "").columns());
        stopped.putAll(Map.of("slave_sql_running", "No", "using_gtid", "Slave_Pos", "gtid_io_pos", "0-1-9"));
        stopped.putAll(Map.of("master_log_file", "b.1", "read_master_log_pos", "9"));
        stopped.putAll(Map.of("relay_master_log_file", "b.1", "exec_master_log_pos", "4"));
        ReplicaStatus lost = new ReplicaStatus(stopped);
        assertThat(ReplicaRemedy.ofApplier(lost, true))
                .startsWith("on the standby: if db1:3306 lives, START SLAVE 'a', which has it sent again; else do not")
                .isEqualTo("on the standby: " + ReplicaRemedy.applying(lost, true));
        assertThat(ReplicaRemedy.ofApplier(lost, false)).contains("START REPLICA SQL_THREAD");
        assertThat(ReplicaRemedy.removal(lost, true)).contains("once it has applied");
        stopped.put("exec_master_log_pos", "9");
        assertThat(ReplicaRemedy.ofApplier(new ReplicaStatus(stopped), true))
                .isEqualTo("on the standby: START SLAVE 'a' SQL_THREAD");
        stopped.putAll(Map.of("exec_master_log_pos", "4", "slave_io_running", "Connecting"));
        assertThat(ReplicaRemedy.applying(new ReplicaStatus(stopped), true))
                .startsWith("START SLAVE 'a' SQL_THREAD; then SELECT MASTER_GTID_WAIT");
    }

    /** MariaDB discards relay logs at START SLAVE with GTIDs; MySQL keeps them. */
    @Test
    void whatThrowsReceivedTransactionsAwayIsThatOfTheProduct() {
        ReplicaStatus gtid = new ReplicaStatus(Map.of("using_gtid", "Slave_Pos"));
        assertThat(ReplicaRemedy.discarding(gtid, true)).startsWith("STOP SLAVE with START SLAVE");
        assertThat(ReplicaRemedy.discarding(new ReplicaStatus(Map.of("using_gtid", "No")), true))
                .doesNotContain("START");
        assertThat(ReplicaRemedy.discarding(gtid, false)).doesNotContain("START", "STOP");
    }

    @Test
    void whatTheSourceCannotServeIsNotToBeStarted() {
        assertThat(ReplicaRemedy.ofReceiver(channel("", "No", 13114, "Got fatal error 1236 from source"), false))
                .startsWith("do not start it");
    }
}
