package io.understudy.command.settings;

import io.understudy.sql.LockChange;
import java.util.Set;

/**
 * The locks that a session keeps between its statements. Another session, {@code SET GLOBAL read_only} among them, may
 * wait for their release. User locks ({@code GET_LOCK}) are not counted: no statement but GET_LOCK waits for them.
 */
public final class ServerLocks {
    private static final int ER_BAD_DB = 1049;
    private static final int ER_TABLEACCESS_DENIED = 1142;
    private static final int ER_NO_SUCH_TABLE = 1146;
    private static final int ER_LOCK_WAIT_TIMEOUT = 1205;
    private static final int ER_LOCK_DEADLOCK = 1213;

    /** Errors of opening the tables; others, such as a syntax error, may come before anything is released. */
    private static final Set<Integer> OF_OPENING =
            Set.of(ER_BAD_DB, ER_TABLEACCESS_DENIED, ER_NO_SUCH_TABLE, ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK);

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

    /**
     * Applies a text that has ended in an error, at a monotonic time.
     *
     * <p>LOCK TABLES releases the locks of an earlier one before it opens its tables (MySQL and MariaDB,
     * {@code mysql_execute_command}), so an error of that step leaves none. Of several statements those before the
     * error have their effect: what any of them takes counts as taken, because a session that is held with a lock
     * stalls others.
     *
     * @param several whether the text may hold several statements
     * @param code the server's error number
     */
    public void applyFailed(LockChange change, boolean several, int code, long nanos) {
        if (several) {
            apply(new LockChange(change.taken(), 0, change.taken()), nanos);
        } else if (change.taken() == LockChange.TABLES && OF_OPENING.contains(code)) {
            apply(new LockChange(0, LockChange.TABLES, 0), nanos);
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
