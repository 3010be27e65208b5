package io.understudy.demo.semisync;

import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The server's counters of semi-synchronous replication at one probe.
 *
 * @param acknowledged transactions acknowledged in time
 * @param unacknowledged transactions not acknowledged in time
 * @param waits transactions that waited
 * @param waitMicros their total wait, in microseconds
 */
record SemiSyncCounters(long acknowledged, long unacknowledged, long waits, long waitMicros) {

    static SemiSyncCounters read(Connection connection) throws SQLException {
        Map<String, Long> values = new HashMap<>();
        for (Map<String, String> row : EmbeddedServer.rows(
                connection, "SHOW GLOBAL STATUS WHERE Variable_name REGEXP '^Rpl_semi_sync_master_(yes|no|tx)_'")) {
            values.put(
                    row.getOrDefault("variable_name", "").toLowerCase(Locale.ROOT),
                    Long.valueOf(row.getOrDefault("value", "")));
        }
        return new SemiSyncCounters(
                values.getOrDefault("rpl_semi_sync_master_yes_tx", 0L),
                values.getOrDefault("rpl_semi_sync_master_no_tx", 0L),
                values.getOrDefault("rpl_semi_sync_master_tx_waits", 0L),
                values.getOrDefault("rpl_semi_sync_master_tx_wait_time", 0L));
    }

    SemiSyncCounters since(SemiSyncCounters before) {
        return new SemiSyncCounters(
                acknowledged - before.acknowledged,
                unacknowledged - before.unacknowledged,
                waits - before.waits,
                waitMicros - before.waitMicros);
    }
}
