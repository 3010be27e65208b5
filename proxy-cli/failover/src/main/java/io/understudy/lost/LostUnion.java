package io.understudy.lost;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.rows;
import static io.understudy.terminal.Table.whole;

import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the black boxes of several proxies before one primary say together of one server: a transaction is captured if
 * one has it, answered if one saw its OK, and in a gap if none has it.
 */
public final class LostUnion {
    private static final String MISSING = "answeredAndMissing";
    private static final String SILENT = "missingNotKnownAnswered";
    private static final String RECEIVED = "receivedNotApplied";
    private static final String UNSETTLED = "answeredNumberUnknown";
    private static final String TRANSACTIONS = "transactions";

    private final Collection<Map<String, Object>> views;

    private LostUnion(Collection<Map<String, Object>> views) {
        this.views = views;
    }

    /**
     * Returns one view of them all.
     *
     * @param views responses of {@code /api/lost} about one server, by proxy; at least one
     */
    public static Map<String, Object> of(Map<String, Map<String, Object>> views) {
        return new LostUnion(views.values()).united(views);
    }

    /**
     * Returns the proxy whose rescue file comes first: none of the others has what precedes a transaction of it. Of
     * several the one that has most.
     *
     * @return null if there is no such proxy
     */
    static @Nullable String first(Map<String, Map<String, Object>> views) {
        GtidNumbers all = new LostUnion(views.values()).captured();
        String best = null;
        long most = -1;
        for (Map.Entry<String, Map<String, Object>> each : views.entrySet()) {
            GtidNumbers its = numbers(each.getValue(), "captured");
            if (its.count() > most && precedes(its, all.minus(its))) {
                best = each.getKey();
                most = its.count();
            }
        }
        return best;
    }

    /** Returns how many transactions the others have that one has not. */
    static long elsewhere(Map<String, Map<String, Object>> views, String proxy) {
        return new LostUnion(views.values())
                .captured()
                .minus(numbers(views.getOrDefault(proxy, Map.of()), "captured"))
                .count();
    }

    private static boolean precedes(GtidNumbers its, GtidNumbers rest) {
        boolean[] precedes = {true};
        rest.forEach((source, ranges) -> precedes[0] &=
                its.lastUpTo(source, Long.MAX_VALUE) < ranges.get(0).first());
        return precedes[0];
    }

    private static GtidNumbers numbers(Map<String, Object> view, String part) {
        return GtidNumbers.ofMySql(String.valueOf(map(view, part).getOrDefault("numbers", "")));
    }

    private GtidNumbers captured() {
        GtidNumbers captured = new GtidNumbers();
        views.forEach(view -> captured.addAll(numbers(view, "captured")));
        return captured;
    }

    private Map<String, Object> united(Map<String, Map<String, Object>> named) {
        Map<String, Object> base = named.values().iterator().next();
        Map<String, Object> united = new LinkedHashMap<>(base);
        united.put("primary", primary(base));
        GtidNumbers captured = captured();
        united.put("captured", numbered(captured));
        Map<String, Map<String, Object>> answered = rowsOf(MISSING, false);
        Map<String, Map<String, Object>> others = rowsOf(SILENT, true);
        answered.forEach((gtid, row) -> {
            Map<String, Object> events = others.remove(gtid);
            if (events != null) {
                row.putAll(events);
            }
            if (has(captured, gtid)) {
                row.put("captured", true);
            }
        });
        Map<String, Object> missing = part(base, MISSING, answered);
        long kept = count(answered.values(), true) + unlisted("captured", true);
        long notCaptured = count(answered.values(), false) + unlisted("notCaptured", false);
        missing.put("count", kept + notCaptured);
        missing.put("captured", kept);
        missing.put("notCaptured", notCaptured);
        united.put(MISSING, missing);
        Map<String, Object> silent = part(base, SILENT, others);
        silent.put("count", Math.max(others.size(), captured.count() - kept));
        united.put(SILENT, silent);
        Map<String, Map<String, Object>> received = rowsOf(RECEIVED, true);
        united.put(RECEIVED, part(base, RECEIVED, received));
        Map<String, Map<String, Object>> unsettled = rowsOf(UNSETTLED, false);
        unsettled.keySet().removeAll(answered.keySet());
        united.put(UNSETTLED, part(base, UNSETTLED, unsettled));
        GtidNumbers gap = union("unknown");
        gap.removeAll(captured);
        Map<String, Object> unknown = new LinkedHashMap<>(map(base, "unknown"));
        views.forEach(view -> map(view, "unknown").forEach(unknown::putIfAbsent));
        unknown.putAll(numbered(gap));
        united.put("unknown", unknown);
        united.put("impliedOnly", numbered(union("impliedOnly")));
        List<Object> logs = new ArrayList<>();
        List<Object> proxies = new ArrayList<>();
        List<Object> damaged = new ArrayList<>();
        named.forEach((proxy, view) -> {
            rows(view, "logs").forEach(log -> {
                Map<String, Object> line = new LinkedHashMap<>(log);
                line.put("server", log.get("server") + " by " + proxy);
                logs.add(line);
            });
            damaged.addAll(rows(view, "damaged"));
            proxies.add(
                    Map.of("proxy", proxy, "captured", numbers(view, "captured").count()));
        });
        united.put("logs", logs);
        united.put("proxies", proxies);
        united.put("damaged", damaged);
        // A witness that knows speaks for the others; a black box that acknowledges nothing cannot.
        boolean known = views.stream()
                .anyMatch(view -> rows(view, "notKnown").isEmpty()
                        && !map(view, "witness").isEmpty());
        united.put(
                "notKnown",
                known
                        ? List.of()
                        : views.stream()
                                .flatMap(view -> rows(view, "notKnown").stream())
                                .distinct()
                                .toList());
        return united;
    }

    /** It is read if one reads it; what a proxy that never read it was to have is not known. */
    private Map<String, Object> primary(Map<String, Object> base) {
        List<Map<String, Object>> all =
                views.stream().map(view -> map(view, "primary")).toList();
        Map<String, Object> primary = new LinkedHashMap<>(all.stream()
                .filter(each -> Boolean.TRUE.equals(each.get("read")))
                .findFirst()
                .or(() -> all.stream()
                        .filter(each -> "never read".equals(each.get("lostAt")))
                        .findFirst())
                .orElse(map(base, "primary")));
        all.stream()
                .map(each -> String.valueOf(each.getOrDefault("survivorBeyond", "")))
                .filter(beyond -> !beyond.isEmpty())
                .findFirst()
                .ifPresent(beyond -> primary.put("survivorBeyond", beyond));
        return primary;
    }

    private static boolean has(GtidNumbers captured, String gtid) {
        if (gtid.contains(":")) {
            return captured.contains(gtid.toLowerCase(Locale.ROOT));
        }
        MariaDbGtid onMariaDb = MariaDbGtid.parse(gtid);
        return captured.contains(String.valueOf(onMariaDb.domain()), onMariaDb.sequence());
    }

    private static long count(Collection<Map<String, Object>> rows, boolean captured) {
        return rows.stream()
                .filter(row -> Boolean.TRUE.equals(row.get("captured")) == captured)
                .count();
    }

    /**
     * Returns how many answered transactions the proxies do not list: none is another's, as one of them answered it.
     */
    private long unlisted(String count, boolean captured) {
        return views.stream()
                .map(view -> map(view, MISSING))
                .mapToLong(part -> Math.max(0, whole(part, count) - count(rows(part, TRANSACTIONS), captured)))
                .sum();
    }

    private GtidNumbers union(String part) {
        GtidNumbers union = new GtidNumbers();
        views.forEach(view -> union.addAll(numbers(view, part)));
        return union;
    }

    private static Map<String, Object> numbered(GtidNumbers numbers) {
        return new LinkedHashMap<>(Map.of(TRANSACTIONS, numbers.count(), "numbers", numbers.toString()));
    }

    /**
     * Returns the rows of a part of all views, by GTID.
     *
     * @param kept whether rows of the same transaction differ in nothing: else what one of them has counts
     */
    private Map<String, Map<String, Object>> rowsOf(String part, boolean kept) {
        Map<String, Map<String, Object>> all = new LinkedHashMap<>();
        views.forEach(view -> rows(map(view, part), TRANSACTIONS).forEach(row -> {
            Map<String, Object> present =
                    all.computeIfAbsent(String.valueOf(row.get("gtid")), gtid -> new LinkedHashMap<>(row));
            if (!kept) {
                row.forEach(present::putIfAbsent);
                if (Boolean.TRUE.equals(row.get("captured"))) {
                    present.putAll(row);
                }
            }
        }));
        return all;
    }

    /** Beyond the rows that the proxies list, a part has as many transactions as the one of them that has most. */
    private Map<String, Object> part(Map<String, Object> base, String name, Map<String, Map<String, Object>> rows) {
        Map<String, Object> part = new LinkedHashMap<>(map(base, name));
        long listed = views.stream()
                .mapToLong(view -> whole(map(view, name), "count"))
                .max()
                .orElse(0);
        boolean partial = views.stream()
                .anyMatch(view -> whole(map(view, name), "count")
                        > rows(map(view, name), TRANSACTIONS).size());
        part.put("count", partial ? Math.max(listed, rows.size()) : rows.size());
        part.put(TRANSACTIONS, new ArrayList<>(rows.values()));
        return part;
    }
}
