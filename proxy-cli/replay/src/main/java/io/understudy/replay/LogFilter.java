package io.understudy.replay;

import org.jspecify.annotations.Nullable;

/**
 * Selects events of a log.
 *
 * @param readsOnly only what the mirror would send
 * @param fromMicros first start time
 * @param untilMicros start time at which to end
 * @param onlyUser only sessions of that user, or null
 * @param onlySchema only statements with that default schema, or null
 */
public record LogFilter(
        boolean readsOnly,
        long fromMicros,
        long untilMicros,
        @Nullable String onlyUser,
        @Nullable String onlySchema) {

    /** All reads. */
    public static final LogFilter READS = new LogFilter(true, Long.MIN_VALUE, Long.MAX_VALUE, null, null);
}
