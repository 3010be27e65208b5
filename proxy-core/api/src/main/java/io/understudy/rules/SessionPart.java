package io.understudy.rules;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The part of the evaluation that depends on the session alone: the rules still undecided, and the one that matches if
 * none of those does. Sessions with equal values share one object, and with it the cached results.
 */
final class SessionPart {
    /** Rules whose session keys hold and that have statement keys, in order. */
    final int[] candidates;
    /** The first rule that holds without a statement, or -1; rules after it cannot win. */
    final int fallback;
    /** The schema of unqualified tables. */
    final @Nullable String schema;
    /** Distributes the parts over the cache. */
    final long seed = ThreadLocalRandom.current().nextLong();

    SessionPart(int[] candidates, int fallback, @Nullable String schema) {
        this.candidates = candidates;
        this.fallback = fallback;
        this.schema = schema;
    }
}
