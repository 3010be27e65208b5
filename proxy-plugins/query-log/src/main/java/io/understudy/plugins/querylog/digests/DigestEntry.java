package io.understudy.plugins.querylog.digests;

import io.understudy.base.TimeBuckets;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One digest and its figures, in parts: two event loops that count the same statement would otherwise wait for each
 * other's cache lines, at each of its figures. Thread-safe; {@link #record} allocates nothing but its part.
 */
public final class DigestEntry {
    /** The server's error for a text that it cannot parse. */
    private static final int PARSE_ERROR = 1064;

    /** More threads share them: a part has 1.8 KB. */
    private static final int PARTS = Math.min(8, Runtime.getRuntime().availableProcessors());

    private static final int ERRORS = 0;
    private static final int NANOS = 1;
    private static final int MAX = 2;
    private static final int ROWS = 3;
    private static final int AFFECTED = 4;
    private static final int BYTES = 5;
    private static final int LAST_SEEN = 6;
    /** The number of executions is the sum of the buckets. */
    private static final int BUCKETS = 7;

    private final @Nullable StatementSummary summary;
    private final byte @Nullable [] text;
    private final long firstSeenMillis;
    private final long firstSeenNanos;
    private final AtomicReferenceArray<@Nullable AtomicLongArray> parts = new AtomicReferenceArray<>(PARTS);
    private final NameSample users = new NameSample();
    private final NameSample schemas = new NameSample();
    private volatile boolean understood;

    /**
     * @param summary null for the entry of all statements without a known digest
     * @param text normalised, or null when it must not be shown
     */
    DigestEntry(@Nullable StatementSummary summary, @Nullable String text, long nowMillis, long nowNanos) {
        this.summary = summary;
        this.text = text == null ? null : printable(text);
        this.firstSeenMillis = nowMillis;
        this.firstSeenNanos = nowNanos;
    }

    /** Quoted names may hold anything; the text is shown in lines. */
    private static byte[] printable(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] >= 0 && bytes[i] < ' ' || bytes[i] == 127) {
                bytes[i] = ' ';
            }
        }
        return bytes;
    }

    /**
     * Adds one execution.
     *
     * @param thread number of the calling thread, see {@link DigestTable#threadNumber}
     * @param errorCode 0 for success
     * @param ended monotonic time in nanoseconds at which the response ended
     */
    public void record(
            int thread,
            long nanos,
            int errorCode,
            long rows,
            long affected,
            long bytes,
            long ended,
            String user,
            @Nullable String schema) {
        AtomicLongArray figures = part(thread % PARTS);
        long time = Math.max(0, nanos);
        figures.getAndAdd(NANOS, time);
        figures.getAndIncrement(BUCKETS + TimeBuckets.of(time));
        long max = figures.get(MAX);
        while (time > max && !figures.weakCompareAndSetVolatile(MAX, max, time)) {
            max = figures.get(MAX);
        }
        if (rows != 0) {
            figures.getAndAdd(ROWS, rows);
        }
        if (affected != 0) {
            figures.getAndAdd(AFFECTED, affected);
        }
        figures.getAndAdd(BYTES, bytes);
        figures.lazySet(LAST_SEEN, ended);
        if (errorCode != 0) {
            figures.getAndIncrement(ERRORS);
        }
        if (!understood && errorCode != PARSE_ERROR) {
            understood = true;
        }
        users.add(user);
        if (schema != null) {
            schemas.add(schema);
        }
    }

    private AtomicLongArray part(int number) {
        AtomicLongArray figures = parts.get(number);
        if (figures != null) {
            return figures;
        }
        AtomicLongArray made = new AtomicLongArray(BUCKETS + TimeBuckets.COUNT);
        made.set(LAST_SEEN, firstSeenNanos);
        AtomicLongArray other = parts.compareAndExchange(number, null, made);
        return other == null ? made : other;
    }

    private long sum(int figure) {
        long sum = 0;
        for (int i = 0; i < PARTS; i++) {
            AtomicLongArray figures = parts.get(i);
            sum += figures == null ? 0 : figures.get(figure);
        }
        return sum;
    }

    /** Returns the digest's summary, or null for the entry of all statements without a known digest. */
    public @Nullable StatementSummary summary() {
        return summary;
    }

    /**
     * Returns the normalised text in UTF-8 without line breaks, or null while it must not be shown: until a server has
     * understood it, quotes that are not closed may make a value look like a name.
     */
    public byte @Nullable [] text() {
        return understood ? text : null;
    }

    /** Returns the normalised text, or null; for rules, not to be shown. */
    @Nullable
    String normalized() {
        return text == null ? null : new String(text, StandardCharsets.UTF_8);
    }

    long firstSeenMillis() {
        return firstSeenMillis;
    }

    long lastSeenNanos() {
        long last = firstSeenNanos;
        for (int i = 0; i < PARTS; i++) {
            AtomicLongArray figures = parts.get(i);
            if (figures != null && figures.get(LAST_SEEN) - last > 0) {
                last = figures.get(LAST_SEEN);
            }
        }
        return last;
    }

    long count() {
        long count = 0;
        for (int i = 0; i < TimeBuckets.COUNT; i++) {
            count += sum(BUCKETS + i);
        }
        return count;
    }

    long errors() {
        return sum(ERRORS);
    }

    long totalNanos() {
        return sum(NANOS);
    }

    long maxNanos() {
        long max = 0;
        for (int i = 0; i < PARTS; i++) {
            AtomicLongArray figures = parts.get(i);
            max = figures == null ? max : Math.max(max, figures.get(MAX));
        }
        return max;
    }

    long rows() {
        return sum(ROWS);
    }

    long affectedRows() {
        return sum(AFFECTED);
    }

    long bytes() {
        return sum(BYTES);
    }

    NameSample users() {
        return users;
    }

    NameSample schemas() {
        return schemas;
    }

    /** Returns the time in nanoseconds that the given share of executions did not exceed, or 0 without any. */
    long percentileNanos(double share) {
        long all = count();
        long rank = (long) Math.ceil(all * share);
        long seen = 0;
        for (int i = 0; i < TimeBuckets.COUNT && rank > 0; i++) {
            seen += sum(BUCKETS + i);
            if (seen >= rank) {
                return Math.min(TimeBuckets.middle(i), maxNanos());
            }
        }
        return 0;
    }

    /** A few distinct names, the first that came. Thread-safe. */
    static final class NameSample {
        private static final int MOST = 8;

        private volatile List<String> names = List.of();
        private volatile boolean more;

        void add(String name) {
            List<String> known = names;
            for (int i = 0; i < known.size(); i++) {
                if (known.get(i).equals(name)) {
                    return;
                }
            }
            append(name);
        }

        private synchronized void append(String name) {
            List<String> known = names;
            if (known.contains(name)) {
                return;
            }
            if (known.size() == MOST) {
                more = true;
                return;
            }
            String[] next = known.toArray(new String[known.size() + 1]);
            next[known.size()] = name;
            names = List.of(next);
        }

        List<String> list() {
            return names;
        }

        /** Returns whether there were others. */
        boolean more() {
            return more;
        }
    }
}
