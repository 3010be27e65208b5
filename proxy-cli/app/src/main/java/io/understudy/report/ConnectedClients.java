package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code /api/sessions} with the figures of {@code report sessions}: the sessions by user, schema and host. */
public final class ConnectedClients {
    private ConnectedClients() {}

    /** Returns the view with its sessions by their commands, the groups of them, and those in a transaction counted. */
    public static Map<String, Object> of(Map<String, Object> view) {
        List<Map<String, Object>> sessions = new ArrayList<>();
        Map<Map<String, Object>, Integer> groups = new LinkedHashMap<>();
        Map<String, Map<String, Object>> byName = new TreeMap<>();
        int transactions = 0;
        for (Map<String, Object> row : Table.rows(view, "sessions")) {
            Map<String, Object> session = new HashMap<>(row);
            String client = String.valueOf(row.get("client")).replaceFirst("^/", "");
            session.put("user", name(row, "user"));
            session.put("schema", name(row, "schema"));
            session.put("client", client);
            sessions.add(session);
            transactions += Boolean.TRUE.equals(row.get("inTransaction")) ? 1 : 0;
            Map<String, Object> group = Map.of(
                    "user", name(row, "user"),
                    "schema", name(row, "schema"),
                    "host", client.replaceFirst(":[^:]*$", ""));
            byName.put(group.get("user") + " " + group.get("schema") + " " + group.get("host"), group);
            groups.merge(group, 1, Integer::sum);
        }
        sessions.sort(Comparator.comparingLong((Map<String, Object> row) -> Table.whole(row, "commands"))
                .reversed());
        Map<String, Object> all = new LinkedHashMap<>(view);
        all.put("inTransaction", transactions);
        all.put("sessions", sessions);
        all.put(
                "groups",
                byName.values().stream()
                        .sorted(Comparator.comparingInt((Map<String, Object> group) -> groups.getOrDefault(group, 0))
                                .reversed())
                        .map(group -> with(group, groups.getOrDefault(group, 0)))
                        .toList());
        return all;
    }

    private static Map<String, Object> with(Map<String, Object> group, int sessions) {
        Map<String, Object> counted = new HashMap<>(group);
        counted.put("sessions", sessions);
        return counted;
    }

    private static String name(Map<String, Object> row, String key) {
        Object name = row.get(key);
        return name == null || name.equals("") ? "-" : String.valueOf(name);
    }
}
