package io.understudy.command.settings;

import io.understudy.sql.SetStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The isolation level and access mode that a session has set for its transactions, whichever of their names it used:
 * MariaDB and MySQL have different ones.
 */
final class TransactionMode {
    /** Before any is set. */
    static final TransactionMode NONE = new TransactionMode();

    private static final String LEVELS = "READ-UNCOMMITTED READ-COMMITTED REPEATABLE-READ SERIALIZABLE";
    private static final String ISOLATION = "transaction_isolation";
    private static final String ACCESS = "transaction_read_only";

    private @Nullable String level;
    private @Nullable String access;
    private boolean levelUnknown;
    private boolean accessUnknown;
    private @Nullable String text;

    private TransactionMode() {}

    /** Returns the modes after an assignment: these, changed, or new ones where there were {@link #NONE}. */
    TransactionMode assigned(SetStatement.Assignment assignment) {
        TransactionMode after = this == NONE ? new TransactionMode() : this;
        after.assign(assignment);
        return after;
    }

    private void assign(SetStatement.Assignment assignment) {
        String value = assignment.literalValue();
        String word = value == null ? "" : value.toUpperCase(Locale.ROOT);
        if (assignment.name().endsWith("isolation")) {
            boolean known = !word.isEmpty() && List.of(LEVELS.split(" ")).contains(word);
            level = known ? "ISOLATION LEVEL " + word.replace('-', ' ') : null;
            levelUnknown = !known && !assignment.isDefault();
        } else {
            boolean only = word.equals("1") || word.equals("ON") || word.equals("TRUE");
            boolean known = only || word.equals("0") || word.equals("OFF") || word.equals("FALSE");
            access = !known ? null : only ? "READ ONLY" : "READ WRITE";
            accessUnknown = !known && !assignment.isDefault();
        }
        text = level == null ? access : access == null ? level : level + ", " + access;
    }

    /** Returns what follows SET SESSION TRANSACTION, or null when nothing is set. */
    @Nullable
    String characteristics() {
        return text;
    }

    /** Returns the names of those whose value could not be read, in a list of the caller's. */
    List<String> unknown() {
        List<String> names = new ArrayList<>(2);
        if (levelUnknown) {
            names.add(ISOLATION);
        }
        if (accessUnknown) {
            names.add(ACCESS);
        }
        return names;
    }
}
