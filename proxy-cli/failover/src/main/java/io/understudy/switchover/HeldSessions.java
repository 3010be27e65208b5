package io.understudy.switchover;

import io.understudy.base.Durations;
import io.understudy.terminal.Table;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The proxy's sessions during a hold.
 *
 * @param view the response of {@code /api/hold}
 */
public record HeldSessions(Map<String, Object> view) {
    public boolean on() {
        return Boolean.TRUE.equals(view.get("held"));
    }

    /** Returns how many are in a transaction or statement, or have a lock. */
    long notYet() {
        return count("notYet");
    }

    private long count(String key) {
        return Table.whole(view, key);
    }

    private static String words(Map<String, Object> row) {
        return "session " + row.get("id") + " (user " + row.get("user") + ", " + row.get("client") + ", connection "
                + row.get("serverThreadId") + " of the server): " + row.get("in") + " since "
                + Durations.format(Duration.ofMillis(Table.whole(row, "forMillis")));
    }

    @Override
    public String toString() {
        List<String> waitsFor =
                Table.rows(view, "waitsFor").stream().map(HeldSessions::words).toList();
        return count("atBoundary") + " sessions at their boundary"
                + (notYet() > 0 ? ", " + notYet() + " in a transaction or statement, or with a lock" : "")
                + (waitsFor.isEmpty() ? "" : " [" + String.join("; ", waitsFor) + "]")
                + (count("replicating") > 0
                        ? ", " + count("replicating") + " of standbys that replicate through the proxy: they go on, and"
                                + " connect again when the primary has changed"
                        : "")
                + (count("unread") > 0 ? ", " + count("unread") + " relayed unread: they are not held" : "");
    }
}
