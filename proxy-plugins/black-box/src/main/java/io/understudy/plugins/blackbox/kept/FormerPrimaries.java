package io.understudy.plugins.blackbox.kept;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is not known of the primaries before the present one, in words, until an operator has compared them or given
 * them up. Guarded by the lock of the {@link BlackBox}.
 */
final class FormerPrimaries {
    private final Set<String> unknown = new LinkedHashSet<>();
    /** The same of the one before, until the next stream tells whether it is another server's; null for nothing. */
    private @Nullable String left;

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

    Set<String> unknown() {
        Set<String> all = new LinkedHashSet<>(unknown);
        if (left != null) {
            all.add(left);
        }
        return all;
    }

    void clear() {
        unknown.clear();
        left = null;
    }
}
