package io.understudy.plugins.mirror.selection;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionSettings;
import io.understudy.rules.ReadFitness;
import io.understudy.sql.NotPure;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/** Decides by a session's state whether a statement may be mirrored; {@link ReadFitness} decides by its text. */
public final class MirrorFitness {
    private MirrorFitness() {}

    /** Returns whether {@code writes: lookups} concerns the statement: it is an UPDATE, a DELETE or a locking read. */
    public static boolean isLookedUp(@Nullable StatementSummary summary) {
        return summary != null
                && switch (summary.kind()) {
                    case UPDATE, DELETE -> true;
                    case SELECT -> summary.reason() == NotPure.LOCKING_READ;
                    default -> false;
                };
    }

    /**
     * Returns the reason in a session's current state not to mirror its statements, or null if there is none.
     *
     * @param lookup whether the rows that the standby returns need not be those of the primary
     */
    public static @Nullable String unfit(SessionSettings settings, CommandView command, boolean lookup) {
        if (!settings.known()) {
            return "settings_unknown";
        }
        PreparedStatement prepared = command.prepared();
        if (prepared != null && !prepared.settingsKnown()) {
            return "settings_unknown";
        }
        if (settings.temporaryTables()) {
            return "temporary_table";
        }
        if (settings.lockedTables()) {
            return "lock_tables";
        }
        if (!lookup && command.wroteInTransactionBefore()) {
            return "in_writing_transaction";
        }
        return null;
    }
}
