package io.understudy.unplanned;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.whole;

import io.understudy.lost.ReplayTime;
import java.util.List;
import java.util.Map;

/** What a failover would have to apply from a black box, and about how long that takes. */
final class ReplayForecast {
    private ReplayForecast() {}

    /** @param view the response of {@code /api/lost} */
    static long missing(Map<String, Object> view) {
        return whole(map(view, "answeredAndMissing"), "captured")
                + whole(map(view, "missingNotKnownAnswered"), "count");
    }

    /** Returns what cannot be had; what a living primary's log has yet to bring does not count. */
    static List<String> gone(Map<String, Object> view) {
        return Boolean.TRUE.equals(map(view, "primary").get("read")) ? List.of() : LostSummary.gone(view);
    }

    static String of(Map<String, Object> view) {
        long count = missing(view);
        List<String> lost = gone(view);
        return count + " transactions, about " + ReplayTime.seconds(count) + " s"
                + (lost.isEmpty() ? "" : "; besides, " + String.join("; ", lost));
    }
}
