package io.understudy.command.settings;

import io.understudy.sql.LockChange;

/**
 * The locks that a session keeps between its statements. Another session, {@code SET GLOBAL read_only} among them, may
 * wait for their release. User locks ({@code GET_LOCK}) are not counted: no statement but GET_LOCK waits for them.
 */
public final class ServerLocks {
    private int held;
    private long sinceNanos;

    /** Applies a statement that has succeeded, at a monotonic time. */
    public void apply(LockChange change, long nanos) {
        int before = held;
        held = before & ~change.released() | change.acquired();
        if (before == 0) {
            sinceNanos = nanos;
        }
    }

    void clear() {
        held = 0;
    }

    /** Returns whether the session has any lock. */
    public boolean any() {
        return held != 0;
    }

    boolean tables() {
        return (held & LockChange.TABLES) != 0;
    }

    /** Returns the monotonic time since which {@link #any}. */
    public long sinceNanos() {
        return sinceNanos;
    }

    /** Returns the locks by the statement that takes them; empty without one. */
    public String description() {
        String tables = tables() ? "LOCK TABLES" : "";
        String global = (held & LockChange.GLOBAL) != 0 ? "FLUSH TABLES WITH READ LOCK" : tables;
        return (held & LockChange.BACKUP) == 0 ? global : (global.isEmpty() ? "" : global + ", ") + "a backup lock";
    }
}
