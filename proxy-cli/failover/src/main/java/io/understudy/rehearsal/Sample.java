package io.understudy.rehearsal;

import io.understudy.metrics.LatencyHistogram;
import java.util.Map;
import java.util.TreeMap;

/**
 * One second's reading of what the proxy counts. Immutable.
 *
 * @param reachable whether the primary responded to its last probe
 * @param commands buckets of all commands since the start
 * @param failures refused connections and ended sessions since the start, by reason
 */
record Sample(long atMillis, boolean reachable, long[] commands, Map<String, Long> failures) {
    /** Returns the buckets of what was added since an earlier reading. */
    long[] commandsSince(Sample before) {
        return difference(commands, before.commands);
    }

    static long[] difference(long[] now, long[] before) {
        long[] added = LatencyHistogram.noCounts();
        for (int i = 0; i < added.length; i++) {
            added[i] = now[i] - before[i];
        }
        return added;
    }

    static long count(long[] buckets) {
        long count = 0;
        for (long each : buckets) {
            count += each;
        }
        return count;
    }

    /** Returns the failures added since an earlier reading. */
    Map<String, Long> failuresSince(Sample before) {
        Map<String, Long> added = new TreeMap<>();
        failures.forEach((reason, count) -> {
            long more = count - before.failures.getOrDefault(reason, 0L);
            if (more > 0) {
                added.put(reason, more);
            }
        });
        return added;
    }
}
