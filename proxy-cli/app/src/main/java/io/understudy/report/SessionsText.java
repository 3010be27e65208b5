package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Formats {@code report sessions} as text: who is connected, and what the sessions are doing. */
public final class SessionsText {
    /** Longer lists are for programs. */
    private static final int ROWS = 40;

    private SessionsText() {}

    /**
     * Returns the report as text.
     *
     * @param view the response of {@code /api/sessions}
     */
    public static String of(Map<String, Object> view) {
        Table out = new Table();
        List<Map<String, Object>> sessions = Table.rows(view, "sessions");
        long transactions = sessions.stream()
                .filter(row -> Boolean.TRUE.equals(row.get("inTransaction")))
                .count();
        out.line(
                "%d sessions of at most %d, %d in a transaction%s",
                Table.whole(view, "count"),
                Table.whole(view, "limit"),
                transactions,
                Boolean.TRUE.equals(view.get("draining")) ? "; the proxy drains" : "");
        if (sessions.size() < Table.whole(view, "count")) {
            out.line("Only %d of them follow.", sessions.size());
        }
        if (sessions.isEmpty()) {
            return out.text();
        }
        groups(out, sessions);
        out.line("");
        out.line(
                "%8s %8s  %-16s %-16s %-22s %10s  %s",
                "session", "thread", "user", "schema", "client", "commands", "state");
        sessions.stream()
                .sorted(Comparator.comparingLong((Map<String, Object> row) -> Table.whole(row, "commands"))
                        .reversed())
                .limit(ROWS)
                .forEach(row -> out.line(
                        "%8d %8s  %-16s %-16s %-22s %10d  %s",
                        Table.whole(row, "id"),
                        row.getOrDefault("serverThreadId", "-"),
                        name(row, "user"),
                        name(row, "schema"),
                        client(row),
                        Table.whole(row, "commands"),
                        Boolean.TRUE.equals(row.get("inTransaction"))
                                ? row.get("phase") + ", in a transaction"
                                : row.get("phase")));
        if (sessions.size() > ROWS) {
            out.line("and %d more with fewer commands; --json has them", sessions.size() - ROWS);
        }
        return out.text();
    }

    private static void groups(Table out, List<Map<String, Object>> sessions) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Map<String, Object> row : sessions) {
            String client = client(row);
            int port = client.lastIndexOf(':');
            String host = port < 0 ? client : client.substring(0, port);
            counts.merge(
                    String.format("%-16s %-16s %s", name(row, "user"), name(row, "schema"), host), 1, Integer::sum);
        }
        out.line("");
        out.line("%8s  %-16s %-16s %s", "sessions", "user", "schema", "from");
        Map<String, Integer> shown = new LinkedHashMap<>();
        counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .limit(ROWS)
                .forEach(entry -> shown.put(entry.getKey(), entry.getValue()));
        shown.forEach((who, count) -> out.line("%8d  %s", count, who));
        if (counts.size() > ROWS) {
            out.line("and %d more groups", counts.size() - ROWS);
        }
    }

    private static String name(Map<String, Object> row, String key) {
        Object name = row.get(key);
        return name == null || name.equals("") ? "-" : String.valueOf(name);
    }

    private static String client(Map<String, Object> row) {
        String client = String.valueOf(row.get("client"));
        return client.startsWith("/") ? client.substring(1) : client;
    }
}
