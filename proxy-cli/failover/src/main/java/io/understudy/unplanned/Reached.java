package io.understudy.unplanned;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import io.understudy.servers.ReportedPosition;
import io.understudy.sql.Quoting;
import io.understudy.switchover.StepFailure;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The transactions that a server has, and those that it has received. */
final class Reached {
    private final ServerFlavor flavor;
    private final ReportedPosition position;
    private final List<MariaDbGtid> onMariaDb;
    private final GtidNumbers onMySql;

    Reached(ServerFlavor flavor, ReportedPosition position) {
        this.flavor = flavor;
        this.position = position;
        boolean mariaDb = flavor == ServerFlavor.MARIADB;
        onMariaDb = mariaDb
                ? MariaDbGtid.list(
                        position.replicated() + "," + position.logged().replace("\n", ""))
                : List.of();
        onMySql = mariaDb ? new GtidNumbers() : GtidNumbers.ofMySql(position.replicated());
    }

    /** Returns the position, with nothing received: relay logs that are not applied do not count. */
    ReportedPosition applied() {
        return new ReportedPosition(
                position.replicated(), position.logged(), "", position.readOnly(), position.server());
    }

    boolean has(MissingTransaction transaction) {
        if (flavor == ServerFlavor.MYSQL) {
            return onMySql.contains(transaction.gtid());
        }
        MariaDbGtid gtid = MariaDbGtid.parse(transaction.gtid());
        return onMariaDb.stream().anyMatch(gtid::isUpTo);
    }

    /**
     * Returns the transactions that another server has applied or received, and that this one has not; empty for none.
     * What the other one has written itself counts if it was the primary, or this one has some of it.
     *
     * @param uuid the other one's {@code server_uuid}; on MariaDB it has none
     * @param wrote whether the other one is known to have been the primary, of which this one may have nothing yet
     * @throws StepFailure if it is not known what the other one has received
     */
    String lacks(ReportedPosition other, String uuid, boolean wrote) throws StepFailure {
        String received = known(other);
        if (flavor == ServerFlavor.MYSQL) {
            GtidNumbers more = GtidNumbers.ofMySql(other.replicated());
            more.addAll(GtidNumbers.ofMySql(received));
            String own = uuid.toLowerCase(Locale.ROOT); // with or without a tag
            boolean some = wrote || onMySql.sources().stream().anyMatch(each -> each.startsWith(own));
            return more.minus(onMySql).of(each -> some || !each.startsWith(own)).toString();
        }
        Map<Long, Long> here = MariaDbGtid.sequences(position.replicated());
        return MariaDbGtid.text(MariaDbGtid.list(other.replicated() + "," + received).stream()
                .filter(each ->
                        wrote || !isOwn(each, other) || onMariaDb.stream().anyMatch(each::isOfTheSame))
                .filter(each -> each.sequence() > here.getOrDefault(each.domain(), 0L))
                .filter(each -> onMariaDb.stream().noneMatch(each::isUpTo))
                .distinct()
                .toList());
    }

    private static boolean isOwn(MariaDbGtid gtid, ReportedPosition server) {
        return server.server().endsWith(":" + gtid.server());
    }

    /**
     * Returns the statement by which MariaDB's replication does not repeat what sessions have applied and logged there;
     * empty if it would not.
     */
    String resume() {
        Map<Long, MariaDbGtid> last = new TreeMap<>();
        MariaDbGtid.list(flavor == ServerFlavor.MARIADB ? position.replicated() : "")
                .forEach(each -> last.put(each.domain(), each));
        boolean behind = false;
        for (MariaDbGtid each : onMariaDb) {
            MariaDbGtid known = last.get(each.domain());
            if (!isOwn(each, position) && (known == null || each.sequence() > known.sequence())) {
                last.put(each.domain(), each);
                behind = true;
            }
        }
        return behind ? "SET GLOBAL gtid_slave_pos=" + Quoting.text(MariaDbGtid.text(last.values())) : "";
    }

    /**
     * Returns what it has received and not applied; empty for nothing.
     *
     * @throws StepFailure if that is not known
     */
    String received() throws StepFailure {
        String received = known(position);
        if (flavor == ServerFlavor.MYSQL) {
            return GtidNumbers.ofMySql(received).minus(onMySql).toString();
        }
        Map<Long, Long> applied = MariaDbGtid.sequences(position.replicated());
        return MariaDbGtid.text(MariaDbGtid.list(received).stream()
                .filter(each -> each.sequence() > applied.getOrDefault(each.domain(), 0L))
                .filter(each -> onMariaDb.stream().noneMatch(each::isUpTo))
                .toList());
    }

    private String known(ReportedPosition server) throws StepFailure {
        String received = server.received();
        if (received == null) {
            throw new StepFailure("what it has received is not known: the status of its replication could not be"
                    + " queried. Try again, and if that persists: GRANT "
                    + (flavor == ServerFlavor.MYSQL ? "REPLICATION CLIENT" : "SLAVE MONITOR")
                    + " ON *.* to the account of section switchover");
        }
        return received;
    }

    /** Returns the position for people. */
    @Override
    public String toString() {
        return position.reached();
    }
}
