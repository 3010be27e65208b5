package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.blackbox.history.Histories;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is not known of the primaries before the present one, in words, until an operator has compared them or given
 * them up. Guarded by the lock of the {@link BlackBox}.
 */
final class FormerPrimaries {
    private final Set<String> unknown = new LinkedHashSet<>();
    /** What of it is from a log. */
    private Set<String> restored = Set.of();

    /** The same of the one before, until the next stream tells whether it is another server's; null for nothing. */
    private @Nullable String left;
    /** How many transactions were forgotten when it was last cleared. */
    private long givenUp;

    /** Adds what is not known; null for nothing. */
    void add(@Nullable String what) {
        if (what != null) {
            unknown.add(what);
        }
    }

    /**
     * Called when the proxy has followed a change of the primary.
     *
     * @param what what is not known of the one before, if it is another server; null for nothing
     */
    void changed(@Nullable String what) {
        left = what == null ? left : what;
    }

    /** Called when a stream begins. */
    void streams(boolean another) {
        if (another) {
            add(left);
        }
        left = null;
    }

    /** @param forgotten see {@link Histories#forgotten} */
    Set<String> unknown(long forgotten) {
        Set<String> all = new LinkedHashSet<>(unknown);
        if (forgotten > givenUp) {
            all.add((forgotten - givenUp)
                    + " transactions that are forgotten: too many changes and resets of the primary"
                    + " have followed them");
        }
        if (left != null) {
            all.add(left);
        }
        return all;
    }

    /** Called when a log is read, and nothing counts as forgotten yet. */
    void restoring() {
        givenUp = 0;
        restored(Set.of());
    }

    /** Called with what a log has. */
    void restored(Set<String> what) {
        unknown.removeAll(restored);
        restored = what;
        unknown.addAll(restored);
    }

    /** Returns what a log is to have. */
    Set<String> forLog() {
        return Set.copyOf(unknown);
    }

    void clear(long forgotten) {
        givenUp = forgotten;
        unknown.clear();
        left = null;
    }
}
