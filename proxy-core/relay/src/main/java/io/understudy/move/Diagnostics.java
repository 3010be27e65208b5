package io.understudy.move;

import io.understudy.plugin.CommandView;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a statement leaves for the next one alone, and that no other server can be given. */
public final class Diagnostics {
    private Diagnostics() {}

    /**
     * Returns whether a command may read what the statement before it has left: warnings, {@code ROW_COUNT()},
     * {@code FOUND_ROWS()}, {@code @@last_gtid}. It must then go to the server of that statement. A command whose text
     * is not known may; of a preparation, the executions. LAST_INSERT_ID() is carried.
     */
    public static boolean mayBeReadBy(CommandView command) {
        if (!command.isStatement() && command.code() != CommandCode.STMT_PREPARE) {
            return false;
        }
        StatementSummary summary = command.summary();
        return summary == null
                || summary.readsDiagnostics()
                || summary.kind() == StatementKind.EXECUTE
                || summary.sessionDependent() && namesLastGtid(command.text());
    }

    private static boolean namesLastGtid(@Nullable String text) {
        return text == null || text.toLowerCase(Locale.ROOT).contains("last_gtid");
    }
}
