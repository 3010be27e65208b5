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

/**
 * The position up to which all standbys have applied the primary's transactions. A standby may have some that a former
 * primary has sent since, and this one lacks: they do not count, as this one's log begins behind what it has.
 */
final class LowestPosition {
    private LowestPosition() {}

    /**
     * Queries the standbys. Returns null if there are none, or one does not answer, or one has applied nothing.
     *
     * @param has GTIDs that the primary has: MySQL's {@code gtid_executed}; on MariaDB the last of each server
     * @return in the product's notation, as a replica gives it when it requests the binary log
     */
    static @Nullable String of(List<Standby> standbys, ServerFlavor flavor, String has) {
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
        return flavor == ServerFlavor.MARIADB ? ofMariaDb(positions, has) : ofMySql(positions, has);
    }

    /**
     * Returns the lowest GTID of each domain; a domain that one standby lacks is requested from its begin. Null if the
     * primary does not know the server of one in a domain that it has.
     */
    static @Nullable String ofMariaDb(List<String> positions, String has) {
        List<MariaDbGtid> own = MariaDbGtid.list(has);
        Map<Long, MariaDbGtid> lowest = new HashMap<>();
        Map<Long, Integer> standbys = new HashMap<>();
        for (String position : positions) {
            for (MariaDbGtid its : MariaDbGtid.list(position)) {
                long last = own.stream()
                        .filter(its::isOfTheSame)
                        .mapToLong(MariaDbGtid::sequence)
                        .max()
                        .orElse(0);
                if (last == 0 && own.stream().anyMatch(each -> each.domain() == its.domain())) {
                    return null; // built anew, say: its log does not tell what is between that and its begin
                } else if (last == 0) {
                    continue;
                }
                MariaDbGtid gtid = new MariaDbGtid(its.domain(), its.server(), Math.min(its.sequence(), last));
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

    static String ofMySql(List<String> positions, String has) {
        GtidNumbers common = GtidNumbers.ofMySql(has);
        for (String position : positions) {
            common = common.minus(common.minus(GtidNumbers.ofMySql(position)));
        }
        return common.toString();
    }
}
