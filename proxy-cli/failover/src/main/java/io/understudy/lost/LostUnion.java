package io.understudy.lost;

import static io.understudy.terminal.Table.rows;
import static io.understudy.terminal.Table.whole;

import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the black boxes of several proxies before one primary say together of one server: a transaction is captured if
 * one has it, answered if one saw its OK, and in a gap if none has it.
 */
public final class LostUnion {
    private static final String MISSING = MissingView.MISSING;
    private static final String SILENT = "missingNotKnownAnswered";
    private static final String RECEIVED = "receivedNotApplied";
    private static final String UNSETTLED = MissingView.UNSETTLED;
    private static final String EARLY = "appliedNotKnownAnswered";
    private static final String TRANSACTIONS = "transactions";
    private static final String TABLES = "tables";

    private static final Map<String, Object> ONCE = Map.of(
            "what",
            "how many are missing: the primary's numbers have begun anew (RESET MASTER), and transactions of before and"
                    + " since that have the same number count once here. Ask each proxy alone, with a file without"
                    + " peers");

    private final Map<String, MissingView> named = new LinkedHashMap<>();
    private final Collection<MissingView> views = named.values();

    private LostUnion(Map<String, Map<String, Object>> views) {
        views.forEach((name, view) -> named.put(name, new MissingView(view)));
    }

    /**
     * Returns one view of them all.
     *
     * @param views responses of {@code /api/lost} about one server, by proxy; at least one
     */
    public static MissingView of(Map<String, Map<String, Object>> views) {
        return new MissingView(new LostUnion(views).united());
    }

    /**
     * Returns the proxy whose rescue file comes first: none of the others has what precedes a transaction of it. Of
     * several the one that has most.
     *
     * @return null if there is no such proxy
     */
    static @Nullable String first(Map<String, Map<String, Object>> views) {
        LostUnion union = new LostUnion(views);
        GtidNumbers all = union.union("captured");
        String best = null;
        long most = -1;
        for (Map.Entry<String, MissingView> each : union.named.entrySet()) {
            GtidNumbers its = each.getValue().numbers("captured");
            if (its.count() > most && precedes(its, all.minus(its))) {
                best = each.getKey();
                most = its.count();
            }
        }
        return best;
    }

    /** Returns how many transactions the others have that one has not. */
    static long elsewhere(Map<String, Map<String, Object>> views, String proxy) {
        GtidNumbers its = new MissingView(views.getOrDefault(proxy, Map.of())).numbers("captured");
        return new LostUnion(views).union("captured").minus(its).count();
    }

    private static boolean precedes(GtidNumbers its, GtidNumbers rest) {
        boolean[] precedes = {true};
        rest.forEach((source, ranges) -> precedes[0] &=
                its.lastUpTo(source, Long.MAX_VALUE) < ranges.get(0).first());
        return precedes[0];
    }

    private Map<String, Object> united() {
        MissingView base = views.iterator().next();
        Map<String, Object> united = new LinkedHashMap<>(base.all());
        united.put("primary", primary(base));
        GtidNumbers captured = union("captured");
        united.put("captured", numbered(captured));
        views.stream()
                .map(view -> view.part("toApply"))
                .max(Comparator.comparingLong(apply -> whole(apply, TRANSACTIONS)))
                .filter(apply -> !apply.isEmpty())
                .ifPresent(apply -> united.put("toApply", apply));
        Map<String, Map<String, Object>> answered = rowsOf(MISSING);
        Map<String, Map<String, Object>> others = rowsOf(SILENT);
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
        united.put(RECEIVED, part(base, RECEIVED, rowsOf(RECEIVED)));
        Map<String, Map<String, Object>> unsettled = rowsOf(UNSETTLED);
        unsettled.keySet().removeAll(answered.keySet());
        united.put(UNSETTLED, part(base, UNSETTLED, unsettled));
        GtidNumbers gap = union("unknown");
        gap.removeAll(captured);
        Map<String, Object> unknown = new LinkedHashMap<>();
        views.forEach(view -> view.part("unknown").forEach(unknown::putIfAbsent));
        unknown.putAll(numbered(gap));
        united.put("unknown", unknown);
        united.put("impliedOnly", numbered(union("impliedOnly")));
        united.put(EARLY, early(base));
        List<Object> logs = new ArrayList<>();
        List<Object> proxies = new ArrayList<>();
        boolean read = !views.stream().allMatch(MissingView::isPrimaryGone);
        List<Object> damaged = new ArrayList<>();
        named.forEach((proxy, view) -> {
            rows(view.all(), "logs").forEach(log -> {
                Map<String, Object> line = new LinkedHashMap<>(log);
                line.put("server", log.get("server") + " by " + proxy);
                logs.add(line);
            });
            damaged.addAll(rows(view.all(), "damaged"));
            proxies.add(proxy(proxy, view, read));
        });
        united.put("logs", logs);
        united.put("proxies", proxies);
        united.put("damaged", damaged);
        // A witness that knows speaks for the others, but not of a reset that it may not have seen; a black box that
        // acknowledges nothing cannot.
        boolean unread = views.stream().allMatch(MissingView::isUnread);
        boolean known = views.stream()
                .anyMatch(view -> rows(view.all(), "notKnown").isEmpty()
                        && !view.part("witness").isEmpty());
        Stream<Map<String, Object>> notKnown = views.stream()
                .flatMap(view -> rows(view.all(), "notKnown").stream())
                .filter(row -> MissingView.isUnread(row)
                        ? unread
                        : !known || MissingView.isRenumbered(row) || MissingView.isSplit(row))
                .distinct();
        List<Map<String, Object>> ownDoubts = new ArrayList<>();
        if (mayCountOnce()) {
            ownDoubts.add(ONCE);
        }
        Map<String, List<String>> reading = reading();
        if (reading.size() > 1) {
            ownDoubts.add(split(reading));
        }
        united.put("notKnown", Stream.concat(notKnown, ownDoubts.stream()).toList());
        return united;
    }

    /** @param read whether another one reads the primary's log: then this one says for itself why it does not */
    private static Map<String, Object> proxy(String name, MissingView view, boolean read) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("proxy", name);
        row.put("captured", view.numbers("captured").count());
        if (read && view.isPrimaryGone()) {
            row.put("notReading", view.part("primary").getOrDefault("why", "not known"));
        }
        return row;
    }

    /** Returns whether what one proxy lacks for one history may be taken for what another one has of the next. */
    private boolean mayCountOnce() {
        boolean before = views.stream()
                .anyMatch(view -> Boolean.TRUE.equals(view.part("primary").get("lacksOfBefore")));
        long having = views.stream()
                .filter(view -> !view.numbers("captured").isEmpty()
                        || !view.numbers("unknown").isEmpty())
                .count();
        return before && having > 1;
    }

    /** One proxy does not tell of which transactions it has seen an OK: the list stays that of the first one. */
    private Map<String, Object> early(MissingView base) {
        Map<String, Object> early = new LinkedHashMap<>(base.part(EARLY));
        if (views.size() > 1) {
            early.put("by", named.keySet().iterator().next());
        }
        return early;
    }

    /** Returns the servers that are read, with who reads them: after a split there are several. */
    private Map<String, List<String>> reading() {
        Map<String, List<String>> servers = new LinkedHashMap<>();
        named.forEach((proxy, view) -> rows(view.all(), "logs").stream()
                .filter(log -> Boolean.TRUE.equals(log.get("read")))
                .reduce((earlier, later) -> later)
                .map(LostUnion::server)
                .ifPresent(server -> servers.computeIfAbsent(server, none -> new ArrayList<>())
                        .add(proxy)));
        return servers;
    }

    private static Map<String, Object> split(Map<String, List<String>> reading) {
        List<String> each = new ArrayList<>();
        reading.forEach((server, proxies) -> each.add(server + " by " + String.join(", ", proxies)));
        return Map.of(
                "what",
                "what is written since: the proxies read different primaries (" + String.join("; ", each)
                        + "), and both may be writable. docs/monitoring/README.md, UnderstudySplit, has what to do");
    }

    /**
     * It is read if one reads it, and all that is missing is of that server; what a proxy that never read it was to
     * have is not known.
     */
    private Map<String, Object> primary(MissingView base) {
        List<Map<String, Object>> all =
                views.stream().map(view -> view.part("primary")).toList();
        Map<String, Object> primary = new LinkedHashMap<>(all.stream()
                .filter(each -> Boolean.TRUE.equals(each.get("read")))
                .findFirst()
                .or(() -> all.stream()
                        .filter(each -> "never read".equals(each.get("lostAt")))
                        .findFirst())
                .orElse(base.part("primary")));
        all.stream()
                .map(each -> String.valueOf(each.getOrDefault("survivorBeyond", "")))
                .filter(beyond -> !beyond.isEmpty())
                .findFirst()
                .ifPresent(beyond -> primary.put("survivorBeyond", beyond));
        Map<String, List<String>> reading = reading();
        if (reading.size() > 1) {
            gone(primary, "the proxies read different primaries");
            return primary;
        }
        List<String> readers = named.entrySet().stream()
                .filter(each -> !each.getValue().isPrimaryGone())
                .map(Map.Entry::getKey)
                .toList();
        if (readers.size() < views.size()) {
            primary.put("by", String.join(", ", readers));
        }
        if (Boolean.TRUE.equals(primary.get("read")) && views.stream().anyMatch(view -> isOfFormer(view, reading))) {
            gone(primary, "some of it is of the primary before the one that is read");
        }
        return primary;
    }

    private static void gone(Map<String, Object> primary, String why) {
        primary.put("read", false);
        primary.put("alive", false);
        primary.put("lostAt", "a time that is not known");
        primary.put("why", why);
    }

    /** Returns whether a view lacks something of a server that is not the one that others read. */
    private static boolean isOfFormer(MissingView view, Map<String, List<String>> reading) {
        Map<String, Object> primary = view.part("primary");
        if (Boolean.TRUE.equals(primary.get("lacksOfFormer")) || Boolean.TRUE.equals(primary.get("read"))) {
            return Boolean.TRUE.equals(primary.get("lacksOfFormer"));
        }
        return view.toApply() + view.nowhere() + view.count(RECEIVED) > 0
                && rows(view.all(), "logs").stream()
                        .reduce((earlier, later) -> later)
                        .filter(log -> !reading.containsKey(server(log)))
                        .isPresent();
    }

    private static String server(Map<String, Object> log) {
        return (log.get("server") + " " + log.getOrDefault("uuid", "")).strip();
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
                .map(view -> view.part(MISSING))
                .mapToLong(part -> Math.max(0, whole(part, count) - count(rows(part, TRANSACTIONS), captured)))
                .sum();
    }

    private GtidNumbers union(String part) {
        GtidNumbers union = new GtidNumbers();
        views.forEach(view -> union.addAll(view.numbers(part)));
        return union;
    }

    private static Map<String, Object> numbered(GtidNumbers numbers) {
        return new LinkedHashMap<>(Map.of(TRANSACTIONS, numbers.count(), "numbers", numbers.toString()));
    }

    /**
     * Returns the rows of a part of all views, by GTID. Of one transaction, what a view has that captured it counts.
     */
    private Map<String, Map<String, Object>> rowsOf(String part) {
        Map<String, Map<String, Object>> all = new LinkedHashMap<>();
        views.forEach(view -> rows(view.part(part), TRANSACTIONS).forEach(row -> {
            Map<String, Object> present =
                    all.computeIfAbsent(String.valueOf(row.get("gtid")), gtid -> new LinkedHashMap<>(row));
            row.forEach(present::putIfAbsent);
            if (Boolean.TRUE.equals(row.get("captured"))) {
                present.putAll(row);
            }
        }));
        return all;
    }

    /** Beyond the rows that the proxies list, a part has as many transactions as the one of them that has most. */
    private Map<String, Object> part(MissingView base, String name, Map<String, Map<String, Object>> rows) {
        Map<String, Object> part = new LinkedHashMap<>(base.part(name));
        long listed = views.stream().mapToLong(view -> view.count(name)).max().orElse(0);
        boolean partial = views.stream()
                .anyMatch(view ->
                        view.count(name) > rows(view.part(name), TRANSACTIONS).size());
        part.put("count", partial ? Math.max(listed, rows.size()) : rows.size());
        part.put(TRANSACTIONS, new ArrayList<>(rows.values()));
        if (views.size() > 1) {
            part.remove(TABLES); // those of one proxy
        }
        if (views.size() > 1 && !partial) {
            part.put(TABLES, tables(rows.values()));
        }
        return part;
    }

    private static Map<String, Integer> tables(Collection<Map<String, Object>> rows) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Map<String, Object> row : rows) {
            if (row.get(TABLES) instanceof Collection<?> tables) {
                tables.forEach(table -> counts.merge(String.valueOf(table), 1, Integer::sum));
            }
        }
        return counts;
    }
}
