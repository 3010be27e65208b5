package io.understudy.plugins.querylog.digests;

import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** One digest and its figures. Thread-safe; {@link #record} allocates nothing. */
public final class DigestEntry {
    /** The server's error for a text that it cannot parse. */
    private static final int PARSE_ERROR = 1064;

    private static final int COUNT = 0;
    private static final int ERRORS = 1;
    private static final int NANOS = 2;
    private static final int MAX = 3;
    private static final int ROWS = 4;
    private static final int AFFECTED = 5;
    private static final int BYTES = 6;
    private static final int LAST_SEEN = 7;
    private static final int BUCKETS = 8;

    private final @Nullable StatementSummary summary;
    private final byte @Nullable [] text;
    private final long firstSeenMillis;
    private final AtomicLongArray figures = new AtomicLongArray(BUCKETS + TimeBuckets.COUNT);
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
        figures.set(LAST_SEEN, nowNanos);
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
     * @param errorCode 0 for success
     * @param ended monotonic time in nanoseconds at which the response ended
     */
    public void record(
            long nanos,
            int errorCode,
            long rows,
            long affected,
            long bytes,
            long ended,
            String user,
            @Nullable String schema) {
        long time = Math.max(0, nanos);
        figures.getAndIncrement(COUNT);
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
        return figures.get(LAST_SEEN);
    }

    long count() {
        return figures.get(COUNT);
    }

    long errors() {
        return figures.get(ERRORS);
    }

    long totalNanos() {
        return figures.get(NANOS);
    }

    long maxNanos() {
        return figures.get(MAX);
    }

    long rows() {
        return figures.get(ROWS);
    }

    long affectedRows() {
        return figures.get(AFFECTED);
    }

    long bytes() {
        return figures.get(BYTES);
    }

    NameSample users() {
        return users;
    }

    NameSample schemas() {
        return schemas;
    }

    /** Returns the time in nanoseconds that the given share of executions did not exceed, or 0 without any. */
    long percentileNanos(double share) {
        long all = 0;
        for (int i = 0; i < TimeBuckets.COUNT; i++) {
            all += figures.get(BUCKETS + i);
        }
        long rank = (long) Math.ceil(all * share);
        long seen = 0;
        for (int i = 0; i < TimeBuckets.COUNT && rank > 0; i++) {
            seen += figures.get(BUCKETS + i);
            if (seen >= rank) {
                return Math.min(TimeBuckets.middle(i), maxNanos());
            }
        }
        return 0;
    }
}
