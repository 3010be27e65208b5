package io.understudy.plugins.binlog;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The names of the tables that one transaction writes, at most {@link BinlogTransaction#MAX_TABLES}. Not thread-safe.
 */
final class WrittenTables {
    /** No table has this name. */
    private static final String NONE = "";

    /** Most transactions write one table. */
    private String first = NONE;
    /** All of them, once there is more than one. */
    private final Set<String> several = new LinkedHashSet<>(0);

    /** Adds a name. Returns false, and drops it, if there are too many. */
    boolean add(String name) {
        if (first.isEmpty() || first.equals(name)) {
            first = name;
            return true;
        }
        if (several.isEmpty()) {
            several.add(first);
        }
        if (several.size() >= BinlogTransaction.MAX_TABLES && !several.contains(name)) {
            return false;
        }
        several.add(name);
        return true;
    }

    /** Returns a copy. */
    Set<String> copy() {
        if (!several.isEmpty()) {
            return Set.copyOf(several);
        }
        return first.isEmpty() ? Set.of() : Set.of(first);
    }

    void clear() {
        first = NONE;
        if (!several.isEmpty()) {
            several.clear();
        }
    }
}
