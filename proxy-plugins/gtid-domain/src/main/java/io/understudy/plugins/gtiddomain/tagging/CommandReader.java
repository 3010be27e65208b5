package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionContext;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.TableEntry;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/** Reads what a session's commands write, from their summaries. Used on the session's event loop. */
final class CommandReader {
    private final SessionContext session;
    private final Dictionary dictionary;

    CommandReader(SessionContext session, Dictionary dictionary) {
        this.session = session;
        this.dictionary = dictionary;
    }

    Work work(CommandView command, @Nullable StatementSummary summary, boolean guarded) {
        boolean callsStored = summary != null && dictionary.callsStored(summary, schema(command), guarded);
        return Work.of(command, summary, session.settings().temporaryTables(), callsStored);
    }

    /** Returns the tables that a command writes, in the order of their names. */
    TableEntry[] tables(CommandView command, @Nullable StatementSummary summary, Work work, Policy policy) {
        return policy.tables.touched(work, summary, schema(command));
    }

    /**
     * Returns the schema of unqualified names; for a prepared statement, the schema of its preparation. Null if there
     * is none, or a change of it is in flight.
     */
    private @Nullable String schema(CommandView command) {
        PreparedStatement prepared = command.prepared();
        if (prepared != null) {
            return prepared.schema();
        }
        return session.schemaInFlight() ? null : session.schema();
    }

    static long digest(@Nullable StatementSummary summary) {
        return summary == null ? 0 : summary.digest();
    }

    /** Returns whether it begins a transaction while autocommit is off: if it is not about transactions or settings. */
    static boolean begins(CommandView command, @Nullable StatementSummary summary) {
        return switch (summary == null ? command.kind() : summary.runs()) {
            case SET, USE, COMMIT, ROLLBACK, EMPTY -> false;
            default -> true;
        };
    }

    static boolean changesSchema(CommandView command, @Nullable StatementSummary summary) {
        if (summary != null) {
            return summary.changesSchema();
        }
        StatementKind kind = command.kind();
        return kind.isDdl() && kind != StatementKind.TRUNCATE || kind == StatementKind.UNKNOWN;
    }
}
