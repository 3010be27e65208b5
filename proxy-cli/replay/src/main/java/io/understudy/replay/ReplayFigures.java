package io.understudy.replay;

import io.understudy.base.TimeBuckets;
import io.understudy.plugin.HashedResult.Relation;
import io.understudy.replay.log.LogCounts;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** The figures of a replay. Thread-safe. */
public final class ReplayFigures {
    private static final double NANOS = 1e9;
    private static final int MICRO = 1_000;
    /** Digests of different results that are listed. */
    private static final int MOST_DIGESTS = 100;

    /** Times in logarithmic buckets. */
    static final class Times {
        private final AtomicLongArray buckets = new AtomicLongArray(TimeBuckets.COUNT);
        private final AtomicLong max = new AtomicLong();

        void add(long nanos) {
            buckets.getAndIncrement(TimeBuckets.of(Math.max(0, nanos)));
            max.accumulateAndGet(nanos, Math::max);
        }

        private double seconds(double share) {
            long all = 0;
            for (int i = 0; i < TimeBuckets.COUNT; i++) {
                all += buckets.get(i);
            }
            long rank = (long) Math.ceil(all * share);
            long seen = 0;
            for (int i = 0; i < TimeBuckets.COUNT && rank > 0; i++) {
                seen += buckets.get(i);
                if (seen >= rank) {
                    return Math.min(TimeBuckets.middle(i), max.get()) / NANOS;
                }
            }
            return 0;
        }

        Map<String, Object> view() {
            Map<String, Object> view = new LinkedHashMap<>();
            view.put("p50", seconds(0.5));
            view.put("p95", seconds(0.95));
            view.put("p99", seconds(0.99));
            view.put("max", max.get() / NANOS);
            return view;
        }
    }

    private final Times server = new Times();
    private final Times logged = new Times();
    private final Times late = new Times();
    private final Times behind = new Times();
    private final Times lateByLog = new Times();
    private final LongAdder lateByLogCount = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final LongAdder ok = new LongAdder();
    private final LongAdder rows = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final ConcurrentSkipListMap<Integer, LongAdder> errors = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, LongAdder> leftOut = new ConcurrentSkipListMap<>();
    private final LongAdder[] results = new LongAdder[Relation.values().length];
    private final ConcurrentSkipListMap<String, LongAdder> different = new ConcurrentSkipListMap<>();
    private final LongAdder sessions = new LongAdder();
    private final LongAdder playedBefore = new LongAdder();
    private final boolean timed;

    /** @param timed whether statements are due at a time: without, none is late */
    ReplayFigures(boolean timed) {
        this.timed = timed;
        Arrays.setAll(results, relation -> new LongAdder());
    }

    void leftOut(String reason) {
        leftOut.computeIfAbsent(reason, why -> new LongAdder()).increment();
    }

    void session() {
        sessions.increment();
    }

    /** Counts a statement that the replay that is resumed has played. */
    void playedBefore() {
        playedBefore.increment();
    }

    void chosen(long loggedMicros) {
        if (loggedMicros >= 0) {
            logged.add(loggedMicros * MICRO);
        }
    }

    /**
     * Counts a statement.
     *
     * @param lateNanos after its time
     * @param behindNanos after its time until the session's statement before it was over
     */
    void sent(long lateNanos, long behindNanos) {
        sent.increment();
        late.add(lateNanos);
        behind.add(behindNanos);
    }

    void succeeded(long nanos, long resultRows) {
        server.add(nanos);
        ok.increment();
        rows.add(resultRows);
    }

    /**
     * Counts a result by how it relates to the captured one.
     *
     * @param digest of the statement, in hexadecimal
     */
    void result(Relation relation, String digest) {
        results[relation.ordinal()].increment();
        if (relation == Relation.DIFFERENT && (different.size() < MOST_DIGESTS || different.containsKey(digest))) {
            different.computeIfAbsent(digest, key -> new LongAdder()).increment();
        }
    }

    void failed(long nanos, int error) {
        server.add(nanos);
        errors.computeIfAbsent(error, code -> new LongAdder()).increment();
    }

    /**
     * The target refused what the statement needs first: it was not sent.
     *
     * @param what settings, schema or prepare
     */
    void refused(String what, int error) {
        errors.computeIfAbsent(error, code -> new LongAdder()).increment();
        leftOut(what + "_refused");
    }

    /** Counts a statement that the log has, at its end, only after its time. */
    void lateByLog(long nanos) {
        lateByLog.add(nanos);
        lateByLogCount.increment();
    }

    /** The connection ended before the response. */
    void lost() {
        lost.increment();
    }

    public long sentCount() {
        return sent.sum();
    }

    /** Returns the number of statements that did not succeed. */
    public long failures() {
        return errors.values().stream().mapToLong(LongAdder::sum).sum() + lost.sum();
    }

    /** Returns all figures, with stable names. */
    public Map<String, Object> view(LogCounts log, double seconds) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("events", log.events());
        view.put("rotations", log.rotations());
        view.put("missing", log.missing());
        view.put("refused", log.refused());
        if (!log.notCaptured().isEmpty()) {
            view.put("notCaptured", log.notCaptured());
        }
        view.put("sessions", sessions.sum());
        view.put("leftOut", sums(leftOut));
        if (playedBefore.sum() > 0) {
            view.put("playedBefore", playedBefore.sum());
        }
        view.put("sent", sent.sum());
        view.put("ok", ok.sum());
        Map<String, Object> byCode = new TreeMap<>();
        errors.forEach((code, count) -> byCode.put(String.valueOf(code), count.sum()));
        view.put("errors", byCode);
        view.put("lost", lost.sum());
        view.put("rows", rows.sum());
        if (Arrays.stream(results).anyMatch(count -> count.sum() > 0)) {
            Map<String, Object> compared = new LinkedHashMap<>();
            for (Relation relation : Relation.values()) {
                compared.put(
                        relation == Relation.ORDER
                                ? "orderOnly"
                                : relation.name().toLowerCase(Locale.ROOT),
                        results[relation.ordinal()].sum());
            }
            view.put("results", compared);
            view.put("differentDigests", sums(different));
        }
        view.put("seconds", seconds);
        view.put("serverSeconds", server.view());
        view.put("loggedSeconds", logged.view());
        if (timed) {
            view.put("lateSeconds", late.view());
            view.put("behindSeconds", behind.view());
            if (lateByLogCount.sum() > 0) {
                view.put("lateByLog", lateByLogCount.sum());
                view.put("lateByLogSeconds", lateByLog.view());
            }
        }
        return view;
    }

    private static Map<String, Long> sums(Map<String, LongAdder> counts) {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((reason, count) -> sums.put(reason, count.sum()));
        return sums;
    }
}
