package io.understudy.plugin;

import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/** Certainty that a statement, or a transaction so far, has written anything that a commit would make durable. */
public enum Writes {
    /** It has written nothing. */
    NONE,
    /** The response leaves it open; the GTID, or its absence, decides. */
    MAYBE,
    /** It has written, and its commit is logged unless the session or the server leaves it out of the log. */
    SURE;

    /** Returns the certainty of a transaction with both. */
    public Writes and(Writes other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /**
     * Returns the certainty for a successful statement.
     *
     * @param foundRows whether the client counts matched rows ({@code CLIENT_FOUND_ROWS}), so that a count proves no
     *     change
     * @param temporaryTables whether the session may have temporary tables, whose changes are not committed in this
     *     sense
     */
    public static Writes of(CommandView command, ResponseView response, boolean foundRows, boolean temporaryTables) {
        StatementKind kind = CommandView.runs(command);
        if (kind.isDml()) {
            // A result set in place of an OK_Packet (INSERT … RETURNING) has rows but no affected rows.
            if (response.affectedRows() == 0 && response.rows() == 0) {
                return NONE;
            }
            boolean countMisleads = foundRows && (kind == StatementKind.UPDATE || kind == StatementKind.INSERT);
            return countMisleads || temporaryTables ? MAYBE : SURE;
        }
        if (changesSchema(kind)) {
            return changesTemporaryTablesOnly(command.summary()) ? NONE : SURE;
        }
        return kind.writes() ? MAYBE : NONE;
    }

    /** Returns whether the schema changes of a text concern temporary tables only: each of several statements may. */
    public static boolean changesTemporaryTablesOnly(@Nullable StatementSummary summary) {
        return summary != null && summary.temporary() && !summary.changesSchema();
    }

    /** Returns whether statements of this kind are logged as a transaction of their own and counted as {@code ddl}. */
    public static boolean changesSchema(StatementKind kind) {
        return kind.isDdl() || kind == StatementKind.GRANT;
    }
}
