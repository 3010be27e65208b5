package io.understudy.rehearsal;

import io.understudy.metrics.LatencyHistogram;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sums since the proxy's start, read at one moment. Immutable.
 *
 * @param kinds buckets of each kind of statement, see {@link LatencyHistogram#addTo}
 * @param digests null without the plugin {@code query-log}
 */
record Figures(
        long atMillis, Map<String, long[]> kinds, @Nullable Map<String, Digest> digests) {
    /**
     * Sums of one digest.
     *
     * @param text normalised, or null if it must not be shown
     */
    record Digest(String kind, @Nullable String text, long count, long errors, double seconds) {}
}
