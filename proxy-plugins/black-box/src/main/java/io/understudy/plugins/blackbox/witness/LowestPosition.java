package io.understudy.plugins.blackbox.witness;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import io.understudy.servers.ReportedPosition;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The position up to which all standbys have applied the primary's transactions. */
final class LowestPosition {
    private LowestPosition() {}

    /**
     * Queries the standbys. Returns null if there are none, or one does not answer, or one has applied nothing.
     *
     * @return in the product's notation, as a replica gives it when it requests the binary log
     */
    static @Nullable String of(List<Standby> standbys, ServerFlavor flavor) {
        List<String> positions = new ArrayList<>();
        for (Standby standby : standbys) {
            if (standby.isPrimary()) {
                continue; // listed for the time when it is one again
            }
            try {
                positions.add(
                        ReportedPosition.applied(standby.dataSource(), flavor).replicated());
            } catch (SQLException e) {
                return null;
            }
        }
        if (positions.isEmpty() || positions.contains("")) {
            return null;
        }
        return flavor == ServerFlavor.MARIADB ? ofMariaDb(positions) : ofMySql(positions);
    }

    /** Returns the lowest GTID of each domain; a domain that one standby lacks is requested from its begin. */
    static String ofMariaDb(List<String> positions) {
        Map<Long, MariaDbGtid> lowest = new HashMap<>();
        Map<Long, Integer> standbys = new HashMap<>();
        for (String position : positions) {
            for (MariaDbGtid gtid : MariaDbGtid.list(position)) {
                lowest.merge(gtid.domain(), gtid, (one, other) -> one.sequence() <= other.sequence() ? one : other);
                standbys.merge(gtid.domain(), 1, Integer::sum);
            }
        }
        return lowest.values().stream()
                .filter(gtid -> standbys.getOrDefault(gtid.domain(), 0) == positions.size())
                .map(MariaDbGtid::toString)
                .sorted()
                .collect(Collectors.joining(","));
    }

    static String ofMySql(List<String> positions) {
        GtidNumbers common = GtidNumbers.ofMySql(positions.get(0));
        for (String position : positions.subList(1, positions.size())) {
            common = common.minus(common.minus(GtidNumbers.ofMySql(position)));
        }
        return common.toString();
    }
}
