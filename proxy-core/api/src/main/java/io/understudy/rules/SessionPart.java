package io.understudy.rules;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The part of the evaluation that depends on the session alone: the rules still undecided, and the one that matches if
 * none of those does. Sessions with equal values share the cached results.
 */
final class SessionPart {
    /** Rules whose session keys hold and that have statement keys, in order. */
    final int[] candidates;
    /** The first rule that holds without a statement, or -1; rules after it cannot win. */
    final int fallback;
    /** The schema of unqualified tables. */
    final @Nullable String schema;
    /** The schema as far as it counts; null unless some rule depends on tables. */
    private final @Nullable String tableSchema;
    /** Distributes the parts over the cache. */
    final long seed;

    SessionPart(int[] candidates, int fallback, @Nullable String schema, boolean tableKeys) {
        this.candidates = candidates;
        this.fallback = fallback;
        this.schema = schema;
        tableSchema = tableKeys ? schema : null;
        seed = (31L * Arrays.hashCode(candidates) + fallback) * 0x9E3779B97F4A7C15L + Objects.hashCode(tableSchema);
    }

    /** Returns whether every statement has the same result for the other one. */
    boolean isLike(SessionPart other) {
        return this == other
                || seed == other.seed
                        && fallback == other.fallback
                        && Arrays.equals(candidates, other.candidates)
                        && Objects.equals(tableSchema, other.tableSchema);
    }
}
