package io.understudy.rules;

import io.understudy.sql.NotPure;
import io.understudy.sql.StatementSummary;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides by a statement's text whether it may be executed on a standby: the first of the four layers that keep a
 * standby unwritten.
 */
public final class ReadFitness {
    private ReadFitness() {}

    /**
     * Returns the reason in a statement's text not to mirror it, or null if there is none.
     *
     * @param functions stored functions that only read
     * @param schema default schema, or null
     * @param match of the rule that the statement matches, or null for none
     */
    public static @Nullable String unfit(
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
}
