package io.understudy.readiness;

import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares positions of replication, of either product. */
final class ReplicationGtids {
    private ReplicationGtids() {}

    /**
     * Returns how many transactions of one position are beyond another; null if the server has no GTIDs.
     *
     * @param ahead a position, or a set of GTIDs on MySQL
     * @param applied the same of the server that follows
     */
    static @Nullable Long missing(boolean mariaDb, String ahead, String applied) {
        if (ahead.isBlank()) {
            return null;
        }
        if (!mariaDb) {
            return GtidNumbers.ofMySql(ahead)
                    .minus(GtidNumbers.ofMySql(applied))
                    .count();
        }
        Map<Long, Long> reached = MariaDbGtid.sequences(applied);
        return MariaDbGtid.list(ahead).stream()
                .mapToLong(gtid -> Math.max(0, gtid.sequence() - reached.getOrDefault(gtid.domain(), 0L)))
                .sum();
    }
}
