package io.understudy.plugins.mirror;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.SessionSettings;
import io.understudy.sql.NotPure;
import io.understudy.sql.StatementSummary;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether a statement may be mirrored: the first of the four layers that keep a standby unwritten. */
final class MirrorFitness {
    private MirrorFitness() {}

    /** Why a statement is not mirrored by what its text says; null when nothing speaks against it. */
    static @Nullable String unfit(@Nullable StatementSummary summary, Set<String> functions) {
        if (summary == null) {
            return "too_long";
        }
        if (!summary.pureRead() && !summary.pureReadAllowing(functions)) {
            NotPure reason = summary.reason();
            return reason == null ? "unparsed" : reason.label();
        }
        if (summary.userVariables()) {
            return "user_variable";
        }
        return null;
    }

    /** Why a session's statements are not mirrored at this moment; null when they may be. */
    static @Nullable String unfit(SessionSettings settings, CommandView command) {
        if (!settings.known()) {
            return "settings_unknown";
        }
        if (settings.temporaryTables()) {
            return "temporary_table";
        }
        if (settings.lockedTables()) {
            return "lock_tables";
        }
        if (command.wroteInTransactionBefore()) {
            return "in_writing_transaction";
        }
        return null;
    }
}
