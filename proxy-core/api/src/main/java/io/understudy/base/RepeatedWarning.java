package io.understudy.base;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits warnings that many sessions or connections would log for one cause: one line for each cause in ten seconds,
 * and while the cause goes on, in twice the time of the line before, up to ten minutes. Thread-safe.
 */
public final class RepeatedWarning {
    private static final long SHORTEST_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** Causes are remembered up to this number; the one that was logged first is forgotten for a new one. */
    private static final int MOST_CAUSES = 32;

    private final LongSupplier nanoClock;
    /** Guarded by this. */
    private final Map<String, Logged> causes = new LinkedHashMap<>();

    private static final class Logged {
        private long nanos;
        private long interval = SHORTEST_NANOS;
        private long suppressed;
    }

    public RepeatedWarning(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Returns how often the cause was suppressed since it was last logged, or -1 if it is to be suppressed now. */
    public synchronized long mayLog(String cause) {
        long now = nanoClock.getAsLong();
        Logged logged = causes.get(cause);
        if (logged == null) {
            if (causes.size() >= MOST_CAUSES) {
                causes.remove(causes.keySet().iterator().next());
            }
            logged = new Logged();
            logged.nanos = now;
            causes.put(cause, logged);
            return 0;
        }
        if (now - logged.nanos < logged.interval) {
            logged.suppressed++;
            return -1;
        }
        long count = logged.suppressed;
        logged.interval = count == 0 ? SHORTEST_NANOS : Math.min(2 * logged.interval, LONGEST_NANOS);
        logged.nanos = now;
        logged.suppressed = 0;
        return count;
    }
}
