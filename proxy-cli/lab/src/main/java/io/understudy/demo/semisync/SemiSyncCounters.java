package io.understudy.demo.semisync;

import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
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
        Map<String, String> all = new ServerQueries(connection).pairs("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync%'");
        return new SemiSyncCounters(
                SemiSyncSource.number(all, "yes_tx"),
                SemiSyncSource.number(all, "no_tx"),
                SemiSyncSource.number(all, "tx_waits"),
                SemiSyncSource.number(all, "tx_wait_time"));
    }

    SemiSyncCounters since(SemiSyncCounters before) {
        return new SemiSyncCounters(
                acknowledged - before.acknowledged,
                unacknowledged - before.unacknowledged,
                waits - before.waits,
                waitMicros - before.waitMicros);
    }
}
