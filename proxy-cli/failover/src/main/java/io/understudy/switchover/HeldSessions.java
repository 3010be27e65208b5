package io.understudy.switchover;

import io.understudy.base.Durations;
import io.understudy.terminal.Table;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The proxy's sessions during a hold.
 *
 * @param on whether sessions are held
 * @param atBoundary sessions that wait
 * @param notYet sessions in a transaction or statement, or with a lock
 * @param unread sessions whose boundaries are not known
 * @param replicating standbys that read the binary log through the proxy
 * @param waitsFor sessions that are not yet at their boundary, each in words
 */
public record HeldSessions(
        boolean on, long atBoundary, long notYet, long unread, long replicating, List<String> waitsFor) {
    static HeldSessions of(Map<String, Object> view) {
        return new HeldSessions(
                Boolean.TRUE.equals(view.get("held")),
                Table.whole(view, "atBoundary"),
                Table.whole(view, "notYet"),
                Table.whole(view, "unread"),
                Table.whole(view, "replicating"),
                view.get("waitsFor") instanceof List<?> rows
                        ? rows.stream()
                                .filter(Map.class::isInstance)
                                .map(row -> words((Map<?, ?>) row))
                                .toList()
                        : List.of());
    }

    private static String words(Map<?, ?> row) {
        return "session " + row.get("id") + " (user " + row.get("user") + ", " + row.get("client") + ", connection "
                + row.get("serverThreadId") + " of the server): " + row.get("in") + " since "
                + Durations.format(Duration.ofMillis(Table.whole(row, "forMillis")));
    }

    @Override
    public String toString() {
        return atBoundary + " sessions at their boundary"
                + (notYet > 0 ? ", " + notYet + " in a transaction or statement, or with a lock" : "")
                + (waitsFor.isEmpty() ? "" : " [" + String.join("; ", waitsFor) + "]")
                + (replicating > 0
                        ? ", " + replicating + " of standbys that replicate through the proxy: they go on, and connect"
                                + " again when the primary has changed"
                        : "")
                + (unread > 0 ? ", " + unread + " relayed unread: they are not held" : "");
    }
}
