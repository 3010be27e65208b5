package io.understudy.plugins.binlog;

import org.jspecify.annotations.Nullable;

/**
 * The last stream of a dump connection.
 *
 * @param began the primary's facts when it began; null before the first stream
 * @param reached where it ended, or is now
 */
record LastStream(@Nullable PrimaryFacts began, StreamPosition reached) {
    /** Before the first stream. */
    static final LastStream NONE = new LastStream(null, StreamPosition.UNKNOWN);

    /** Returns whether there was a stream. */
    boolean exists() {
        return began != null;
    }

    /** Returns whether it came from the server with these facts. */
    boolean isOf(PrimaryFacts facts) {
        return began != null && began.sameServer(facts);
    }

    /** Returns the same stream with an end at which none may continue. */
    LastStream withoutPosition() {
        return new LastStream(began, StreamPosition.UNKNOWN);
    }
}
