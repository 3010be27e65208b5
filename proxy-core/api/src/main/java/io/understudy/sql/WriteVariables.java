package io.understudy.sql;

import java.util.Locale;
import java.util.Set;

/**
 * The session variables that change what a write does, or which transaction it is part of, beside the isolation level,
 * {@code READ ONLY} and {@code autocommit}. Any account may set them.
 */
public final class WriteVariables {
    private static final Set<String> CARRIED =
            Set.of(("foreign_key_checks unique_checks check_constraint_checks auto_increment_increment"
                            + " auto_increment_offset sql_safe_updates sql_auto_is_null completion_type"
                            + " default_storage_engine innodb_lock_wait_timeout lock_wait_timeout innodb_strict_mode")
                    .split(" "));

    private WriteVariables() {}

    /** Returns whether a session that repeats a captured session's writes needs its value. */
    public static boolean carried(String name) {
        return CARRIED.contains(name.toLowerCase(Locale.ROOT));
    }
}
