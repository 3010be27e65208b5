package io.understudy.rules;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * What a session alone decides: which rules are still open, and which one matches if none of those does. The same object
 * for sessions that are alike, so that they share the cached answers.
 */
final class SessionPart {
    /** Rules whose session keys hold and that have statement keys, in order. */
    final int[] candidates;
    /** The first rule that needs no statement, or -1; rules behind it cannot win. */
    final int fallback;
    /** Where unqualified tables live. */
    final @Nullable String schema;
    /** Spreads the parts over the cache. */
    final long seed = ThreadLocalRandom.current().nextLong();

    SessionPart(int[] candidates, int fallback, @Nullable String schema) {
        this.candidates = candidates;
        this.fallback = fallback;
        this.schema = schema;
    }
}
