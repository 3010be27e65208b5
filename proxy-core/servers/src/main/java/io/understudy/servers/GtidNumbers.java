package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * Sets of transaction numbers by source: a UUID on MySQL, with {@code :tag} if it has one; a domain on MariaDB. The
 * numbers are kept as intervals, so that appending the next is cheap. Not thread-safe.
 */
public final class GtidNumbers {
    /** Numbers from one to another, both included. */
    public record Range(long first, long last) {}

    private final Map<String, List<Range>> sources = new TreeMap<>();

    /**
     * Parses a set of MySQL GTIDs, as {@code uuid:1-5:7,uuid:tag:1-3} with any white space.
     *
     * @throws IllegalArgumentException if the text is no such set
     */
    public static GtidNumbers ofMySql(String text) {
        GtidNumbers set = new GtidNumbers();
        for (String part : text.replaceAll("\\s", "").split(",")) {
            if (part.isEmpty()) {
                continue;
            }
            String[] pieces = part.toLowerCase(Locale.ROOT).split(":", -1);
            if (pieces.length == 1 || List.of(pieces).contains("") || !isInterval(pieces[pieces.length - 1])) {
                throw new IllegalArgumentException("'" + part + "' is no set of MySQL GTIDs");
            }
            String source = pieces[0];
            for (int i = 1; i < pieces.length; i++) {
                if (isInterval(pieces[i])) {
                    int dash = pieces[i].indexOf('-');
                    long first = Long.parseLong(dash < 0 ? pieces[i] : pieces[i].substring(0, dash));
                    set.add(source, first, dash < 0 ? first : Long.parseLong(pieces[i].substring(dash + 1)));
                } else {
                    source = pieces[0] + ":" + pieces[i];
                }
            }
        }
        return set;
    }

    /**
     * Returns all transactions up to a position: of MariaDB, such as {@code 0-1-42,10-1-7}, each domain's from 1 on.
     *
     * @throws IllegalArgumentException if the text is no position
     */
    public static GtidNumbers upTo(ServerFlavor flavor, String position) {
        if (flavor == ServerFlavor.MYSQL) {
            return ofMySql(position);
        }
        GtidNumbers set = new GtidNumbers();
        MariaDbGtid.sequences(position).forEach((domain, last) -> set.add(Long.toString(domain), 1, last));
        return set;
    }

    private static boolean isInterval(String piece) {
        return Character.isDigit(piece.charAt(0));
    }

    public void add(String source, long number) {
        add(source, number, number);
    }

    /** Adds the numbers {@code first} to {@code last}; none if {@code last} is lower. */
    public void add(String source, long first, long last) {
        if (first > last) {
            return;
        }
        List<Range> intervals = sources.computeIfAbsent(source, none -> new ArrayList<>());
        int at = intervals.size();
        // From the end, where nearly all numbers are added.
        while (at > 0 && intervals.get(at - 1).last() >= first - 1) {
            at--;
        }
        long low = first;
        long high = last;
        while (at < intervals.size() && intervals.get(at).first() <= last + 1) {
            Range joined = intervals.remove(at);
            low = Math.min(low, joined.first());
            high = Math.max(high, joined.last());
        }
        intervals.add(at, new Range(low, high));
    }

    public void addAll(GtidNumbers other) {
        other.sources.forEach((source, intervals) -> intervals.forEach(each -> add(source, each.first(), each.last())));
    }

    /** Returns the numbers of some of the sources. */
    public GtidNumbers of(Predicate<String> some) {
        GtidNumbers of = new GtidNumbers();
        sources.forEach((source, intervals) -> {
            if (some.test(source)) {
                of.sources.put(source, new ArrayList<>(intervals));
            }
        });
        return of;
    }

    /** Returns whether it has a transaction, by its MySQL GTID in lower case. */
    public boolean contains(String gtid) {
        int colon = gtid.lastIndexOf(':');
        return colon > 0 && contains(gtid.substring(0, colon), Long.parseLong(gtid.substring(colon + 1)));
    }

    /** Calls with each source and its numbers, which must not be changed, in the order of {@link #toString}. */
    public void forEach(BiConsumer<String, List<Range>> action) {
        sources.forEach(action);
    }

    public boolean contains(String source, long number) {
        List<Range> intervals = sources.get(source);
        if (intervals == null) {
            return false;
        }
        int low = 0;
        int high = intervals.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Range interval = intervals.get(middle);
            if (number < interval.first()) {
                high = middle - 1;
            } else if (number > interval.last()) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }

    /** Removes the numbers {@code first} to {@code last}; none if {@code last} is lower. */
    public void remove(String source, long first, long last) {
        GtidNumbers gone = new GtidNumbers();
        gone.add(source, first, last);
        removeAll(gone);
    }

    public void removeAll(GtidNumbers gone) {
        GtidNumbers rest = minus(gone);
        sources.clear();
        sources.putAll(rest.sources);
    }

    public Set<String> sources() {
        return Set.copyOf(sources.keySet());
    }

    /** Returns the highest number of a source that is not above {@code limit}; 0 if there is none. */
    public long lastUpTo(String source, long limit) {
        long highest = 0;
        for (Range each : sources.getOrDefault(source, List.of())) {
            if (each.first() <= limit) {
                highest = Math.min(each.last(), limit);
            }
        }
        return highest;
    }

    /** Returns the numbers of this set that are not in {@code other}. */
    public GtidNumbers minus(GtidNumbers other) {
        GtidNumbers rest = new GtidNumbers();
        sources.forEach((source, intervals) -> {
            List<Range> without = other.sources.getOrDefault(source, List.of());
            for (Range interval : intervals) {
                long from = interval.first();
                for (Range gone : without) {
                    if (gone.last() >= from && gone.first() <= interval.last()) {
                        rest.add(source, from, gone.first() - 1);
                        from = gone.last() + 1;
                    }
                }
                rest.add(source, from, interval.last());
            }
        });
        return rest;
    }

    /** Makes an object of each source and number, of at most {@code most}. */
    public <T> List<T> list(int most, BiFunction<String, Long, T> maker) {
        List<T> all = new ArrayList<>();
        sources.forEach((source, intervals) -> {
            for (Range interval : intervals) {
                for (long number = interval.first(); number <= interval.last() && all.size() < most; number++) {
                    all.add(maker.apply(source, number));
                }
            }
        });
        return all;
    }

    /** Returns how many numbers the set has. */
    public long count() {
        long total = 0;
        for (List<Range> intervals : sources.values()) {
            for (Range interval : intervals) {
                total += interval.last() - interval.first() + 1;
            }
        }
        return total;
    }

    public boolean isEmpty() {
        return sources.isEmpty();
    }

    /** Returns the set as MySQL writes it; a MariaDB domain stands in the place of the UUID. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        sources.forEach((source, intervals) -> {
            text.append(text.length() == 0 ? "" : ",").append(source);
            for (Range interval : intervals) {
                text.append(':').append(interval.first());
                if (interval.last() > interval.first()) {
                    text.append('-').append(interval.last());
                }
            }
        });
        return text.toString();
    }
}
