package io.understudy.plugins.mirror;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionSettings;
import io.understudy.rules.Match;
import io.understudy.sql.NotPure;
import io.understudy.sql.StatementSummary;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether a statement may be mirrored: the first of the four layers that keep a standby unwritten. */
final class MirrorFitness {
    private MirrorFitness() {}

    /**
     * Why a statement is not mirrored by what its text says; null when nothing speaks against it.
     *
     * @param functions stored functions that only read
     * @param schema default schema, or null
     * @param match of the rule that the statement matches, or null for none
     */
    static @Nullable String unfit(
            @Nullable StatementSummary summary, Set<String> functions, @Nullable String schema, @Nullable Match match) {
        if (summary == null) {
            return "too_long";
        }
        if (!summary.pureRead()
                && !summary.pureReadAllowing(functions)
                && !summary.pureReadWithOwnSettings(functions)) {
            NotPure reason = summary.reason();
            return reason == null ? "unparsed" : reason.label();
        }
        if (summary.userVariables()) {
            return "user_variable";
        }
        return ServerState.unfit(summary, schema, match);
    }

    /** Why a session's statements are not mirrored at this moment; null when they may be. */
    static @Nullable String unfit(SessionSettings settings, CommandView command) {
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
        if (command.wroteInTransactionBefore()) {
            return "in_writing_transaction";
        }
        return null;
    }
}
