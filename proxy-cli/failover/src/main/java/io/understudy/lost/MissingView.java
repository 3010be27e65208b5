package io.understudy.lost;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.rows;
import static io.understudy.terminal.Table.whole;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.Identity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a server lacks, by one black box or by several: the response of {@code /api/lost}. What it does not tell counts
 * as nothing, and what a newer proxy tells besides stays.
 *
 * @param all its keys
 */
public record MissingView(Map<String, Object> all) {
    static final String MISSING = "answeredAndMissing";
    static final String UNSETTLED = "answeredNumberUnknown";
    private static final int NAMED = 10;
    /** Measured between two servers of one machine, with binary log; a slower disk or a longer way takes longer. */
    private static final long TRANSACTIONS_A_SECOND = 1_000;

    public Map<String, Object> part(String name) {
        return map(all, name);
    }

    long count(String part) {
        return whole(part(part), "count");
    }

    /** Returns the transactions of a part that is a set of numbers. */
    public GtidNumbers numbers(String part) {
        return GtidNumbers.ofMySql(String.valueOf(part(part).getOrDefault("numbers", "")));
    }

    /** Returns whether no primary's binary log was ever read. */
    public boolean isNeverRead() {
        return "never read".equals(part("primary").get("lostAt"));
    }

    /** Returns whether a primary's numbers began anew, and it is not known what the server has since. */
    public boolean isRenumbered() {
        return rows(all, "notKnown").stream().anyMatch(MissingView::isRenumbered);
    }

    /** Returns whether the black box has read nothing of the primary before the present one. */
    boolean isUnread() {
        return rows(all, "notKnown").stream().anyMatch(MissingView::isUnread);
    }

    static boolean isUnread(Map<String, Object> row) {
        return Boolean.TRUE.equals(row.get("unread"));
    }

    /** Returns whether it is not known which of several servers that take writes is the primary. */
    private boolean isSplit() {
        return rows(all, "notKnown").stream().anyMatch(MissingView::isSplit);
    }

    static boolean isSplit(Map<String, Object> row) {
        return Boolean.TRUE.equals(row.get("split"));
    }

    static boolean isRenumbered(Map<String, Object> row) {
        return Boolean.TRUE.equals(row.get("renumbered"));
    }

    /** Returns whether what is missing does not come from the primary any more. */
    public boolean isPrimaryGone() {
        return Boolean.FALSE.equals(part("primary").get("read"));
    }

    /**
     * Returns whether what is missing was written by this server, which may respond though its log is not read.
     *
     * @param server that responds, or of which nothing is known
     */
    public boolean isWrittenBy(Identity server) {
        Map<String, Object> last =
                rows(all, "logs").stream().reduce((earlier, later) -> later).orElse(Map.of());
        String uuid = String.valueOf(last.getOrDefault("uuid", ""));
        return !Boolean.TRUE.equals(part("primary").get("lacksOfFormer"))
                && !server.serverId().isEmpty()
                && server.serverId().equals(String.valueOf(last.get("serverId")))
                && (uuid.isEmpty() || uuid.equals(server.uuid()));
    }

    /** Returns a sentence for each thing that is not known of what is missing. */
    public List<String> notKnown() {
        List<String> found = new ArrayList<>();
        if (isNeverRead()) {
            Object why = part("primary").get("why");
            found.add("the primary's binary log was never read" + (why == null ? "" : " (" + why + ")"));
        }
        rows(all, "notKnown").forEach(each -> found.add(String.valueOf(each.get("what"))));
        return found;
    }

    /** Returns how many transactions are in a gap: neither known to be applied, nor kept. */
    public long unknown() {
        return whole(part("unknown"), "transactions");
    }

    /** Returns how many count as applied by the position alone, and were reported as missing before. */
    public long implied() {
        return whole(part("impliedOnly"), "transactions");
    }

    /** Returns how many transactions that clients were told of are missing, and kept. */
    public long kept() {
        return whole(part(MISSING), "captured");
    }

    /** Returns how many are missing, and nowhere but in the old primary's binary log. */
    public long nowhere() {
        return whole(part(MISSING), "notCaptured") + count(UNSETTLED) + unknown();
    }

    /** Returns how many transactions a failover would have to apply. */
    public long toApply() {
        return kept() + count("missingNotKnownAnswered");
    }

    /** Returns about how many seconds a server takes to apply transactions, rounded up. */
    public static long seconds(long transactions) {
        return (transactions + TRANSACTIONS_A_SECOND - 1) / TRANSACTIONS_A_SECOND;
    }

    /** Returns whether something is missing that stays missing, or it is not known what is. */
    public boolean isLoss() {
        Map<String, Object> survivor = part("survivor");
        return String.valueOf(survivor.get("position")).isBlank() && !Boolean.TRUE.equals(survivor.get("compared"))
                || isNeverRead()
                || isRenumbered()
                || isUnread()
                || isSplit()
                || !rows(all, "damaged").isEmpty()
                || isPrimaryGone()
                        && rows(all, "notAsked").size()
                                        + rows(all, "notKnown").size()
                                        + nowhere()
                                        + count("receivedNotApplied")
                                        + implied()
                                > 0;
    }

    /**
     * Returns whether a rescue file lacks something, a replay would hide that something is missing, or collide with
     * replication.
     *
     * @param rescue the response of {@code POST /api/lost/rescue}
     */
    public static boolean isLoss(Map<String, Object> rescue) {
        return !rows(rescue, "damaged").isEmpty()
                || isRenumbered(rescue)
                || Boolean.TRUE.equals(rescue.get("neverRead"))
                || Boolean.TRUE.equals(rescue.get("primaryRead"))
                || rows(rescue, "notAsked").size()
                                + rows(rescue, "notKnown").size()
                                + whole(rescue, "elsewhere")
                                + whole(rescue, "unknown")
                                + whole(rescue, "receivedNotApplied")
                                + whole(rescue, "impliedOnly")
                                + whole(rescue, "notCaptured")
                        > 0;
    }

    /** Returns what a failover would have to apply, and what cannot be had, in a sentence. */
    public String forecast() {
        List<String> lost = goneUnlessRead();
        return toApply() + " transactions, about " + seconds(toApply()) + " s"
                + (lost.isEmpty() ? "" : "; besides, " + String.join("; ", lost));
    }

    /** Returns what cannot be had; what a living primary's log has yet to bring does not count. */
    public List<String> goneUnlessRead() {
        return Boolean.TRUE.equals(part("primary").get("read")) ? List.of() : gone();
    }

    /** Returns a sentence for each kind of loss, once what the black box has was to be applied; none for nothing. */
    public List<String> lost() {
        List<String> lost = gone();
        if (toApply() > 0) {
            lost.add(toApply() + " transactions that the black box has, and that "
                    + (isRenumbered()
                            ? "do not count as applied there"
                            : "are not applied there: understudy report lost, understudy rescue"));
        }
        return lost;
    }

    /** As above, without the transactions that the black box has. */
    public List<String> gone() {
        List<String> lost = new ArrayList<>();
        notKnown().forEach(each -> lost.add("NOT KNOWN: " + each));
        long notCaptured = whole(part(MISSING), "notCaptured");
        if (notCaptured > 0) {
            lost.add(notCaptured + " transactions that clients were told are committed, and whose events no black box"
                    + " had when it was asked: " + gtids(MISSING, notCaptured)
                    + ". They are in the old primary's binary log, unless that was reset");
        }
        long unsettled = count(UNSETTLED);
        if (unsettled > 0) {
            lost.add(unsettled + " responses whose transaction is not known; if they were commits: "
                    + gtids(UNSETTLED, unsettled));
        }
        if (unknown() > 0) {
            lost.add(unknown() + " transactions in a gap: neither known to be applied, nor kept: "
                    + part("unknown").get("numbers"));
        }
        if (implied() > 0) {
            lost.add(implied() + " transactions implied by the position alone, and reported as missing before: "
                    + part("impliedOnly").get("numbers"));
        }
        rows(all, "damaged").forEach(each -> lost.add("NOT KNOWN: the log is damaged. " + each.get("what")));
        if (count("receivedNotApplied") > 0) {
            lost.add(count("receivedNotApplied") + " transactions received, and not applied");
        }
        if (part("primary").get("survivorBeyond") instanceof String beyond && !beyond.isEmpty()) {
            lost.add("it has transactions that the old primary never had, as far as it was read: " + beyond);
        }
        return lost;
    }

    /**
     * Returns where the reading of the binary log ended that is not read any more, the old primary's, by the proxy that
     * has read most of it; empty if none has.
     *
     * @param views responses of {@code /api/lost}
     * @param promoted identity of the server that has taken its place, whose log may not be read yet
     */
    public static Optional<String> readUpTo(Collection<Map<String, Object>> views, String promoted) {
        return views.stream()
                .flatMap(view -> rows(view, "logs").stream()
                        .filter(log ->
                                Boolean.FALSE.equals(log.get("read")) && !promoted.endsWith(":" + log.get("serverId")))
                        .reduce((earlier, later) -> later)
                        .stream())
                .max(Comparator.comparingLong(log -> upTo(log).count()))
                .map(log -> "its binary log was read up to " + log.get("upTo") + ": if its " + log.get("variable")
                        + " is further, read there what it has more, then build it anew");
    }

    private static GtidNumbers upTo(Map<String, Object> log) {
        String text = String.valueOf(log.get("upTo"));
        return GtidNumbers.upTo(text.indexOf(':') < 0 ? ServerFlavor.MARIADB : ServerFlavor.MYSQL, text);
    }

    private String gtids(String part, long count) {
        List<String> named = rows(part(part), "transactions").stream()
                .map(row -> String.valueOf(row.get("gtid")))
                .limit(Math.min(NAMED, count))
                .toList();
        return String.join(", ", named) + (count > named.size() ? ", …" : "");
    }
}
