package io.understudy.unplanned;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.rows;
import static io.understudy.terminal.Table.whole;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a black box says that a server lacks for good, in sentences. */
final class LostSummary {
    private static final int NAMED = 10;

    private LostSummary() {}

    /**
     * Returns a line for each kind of loss; none for nothing.
     *
     * @param view the response of {@code /api/lost}
     */
    static List<String> of(Map<String, Object> view) {
        List<String> lost = gone(view);
        long captured = ReplayForecast.missing(view);
        if (captured > 0) {
            lost.add(captured + " transactions that the black box has, and that were not applied before the server"
                    + " accepted writes: understudy report lost, understudy rescue");
        }
        return lost;
    }

    /** As above, without the transactions that the black box has. */
    static List<String> gone(Map<String, Object> view) {
        List<String> lost = new ArrayList<>();
        if ("never read".equals(map(view, "primary").get("lostAt"))) {
            lost.add("NOT KNOWN: the old primary's binary log was never read");
        }
        rows(view, "notKnown").forEach(each -> lost.add("NOT KNOWN: " + each.get("what")));
        Map<String, Object> missing = map(view, "answeredAndMissing");
        long notCaptured = whole(missing, "notCaptured");
        if (notCaptured > 0) {
            lost.add(notCaptured + " transactions that clients were told are committed, and whose events never came: "
                    + gtids(missing, notCaptured) + ". They are in the old primary's binary log");
        }
        Map<String, Object> unsettled = map(view, "answeredNumberUnknown");
        if (whole(unsettled, "count") > 0) {
            lost.add(whole(unsettled, "count") + " responses whose transaction is not known; if they were commits: "
                    + gtids(unsettled, whole(unsettled, "count")));
        }
        numbers(view, "unknown", "in a gap: neither known to be applied, nor kept", lost);
        numbers(view, "impliedOnly", "implied by the position alone, and reported as missing before", lost);
        rows(view, "damaged").forEach(each -> lost.add("NOT KNOWN: the log is damaged. " + each.get("what")));
        long received = whole(map(view, "receivedNotApplied"), "count");
        if (received > 0) {
            lost.add(received + " transactions received, and not applied");
        }
        String beyond = String.valueOf(map(view, "primary").get("survivorBeyond"));
        if (!beyond.isEmpty() && !beyond.equals("null")) {
            lost.add("it has transactions that the old primary never had, as far as it was read: " + beyond);
        }
        return lost;
    }

    private static void numbers(Map<String, Object> view, String key, String why, List<String> lost) {
        Map<String, Object> gap = map(view, key);
        if (whole(gap, "transactions") > 0) {
            lost.add(whole(gap, "transactions") + " transactions " + why + ": " + gap.get("numbers"));
        }
    }

    private static String gtids(Map<String, Object> part, long count) {
        List<String> named = part.get("transactions") instanceof List<?> rows
                ? rows.stream()
                        .filter(Map.class::isInstance)
                        .map(row -> String.valueOf(((Map<?, ?>) row).get("gtid")))
                        .limit(Math.min(NAMED, count))
                        .toList()
                : List.of();
        return String.join(", ", named) + (count > named.size() ? ", …" : "");
    }
}
