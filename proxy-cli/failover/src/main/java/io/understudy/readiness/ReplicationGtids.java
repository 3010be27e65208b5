package io.understudy.readiness;

import io.understudy.plugins.binlog.GtidNumbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares positions of replication, of either product. */
final class ReplicationGtids {
    /** A GTID of MariaDB. */
    record Gtid(String domain, String server, long number) {
        boolean isOfTheSame(Gtid other) {
            return domain.equals(other.domain) && server.equals(other.server);
        }

        /** Returns whether it is the other one, or was written before it by the same server in the same domain. */
        boolean isUpTo(Gtid other) {
            return isOfTheSame(other) && number <= other.number;
        }

        @Override
        public String toString() {
            return domain + "-" + server + "-" + number;
        }
    }

    private ReplicationGtids() {}

    /** Parses a list such as {@code 0-1-57,2-1-4}; other items are left out. */
    static List<Gtid> mariaDb(String list) {
        List<Gtid> all = new ArrayList<>();
        for (String item : list.split(",")) {
            String[] parts = item.trim().split("-");
            if (parts.length == 3) {
                all.add(new Gtid(parts[0], parts[1], Long.parseLong(parts[2])));
            }
        }
        return all;
    }

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
        Map<String, Long> reached = new HashMap<>();
        mariaDb(applied).forEach(gtid -> reached.merge(gtid.domain(), gtid.number(), Math::max));
        long missing = 0;
        for (Gtid gtid : mariaDb(ahead)) {
            missing += Math.max(0, gtid.number() - reached.getOrDefault(gtid.domain(), 0L));
        }
        return missing;
    }
}
