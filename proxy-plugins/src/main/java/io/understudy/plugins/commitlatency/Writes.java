package io.understudy.plugins.commitlatency;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;

/** Whether a statement, or a transaction so far, has changed anything that a commit would make durable. */
enum Writes {
    NONE,
    /** The answer does not tell; the GTID, or its absence, does. */
    MAYBE,
    SURE;

    Writes and(Writes other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /**
     * What a successful statement wrote.
     *
     * @param foundRows the client counts matched rows ({@code CLIENT_FOUND_ROWS}), so a count does not prove a change
     * @param temporaryTables the session may have temporary tables, changes to which are not committed in this sense
     */
    static Writes of(CommandView command, ResponseView response, boolean foundRows, boolean temporaryTables) {
        StatementKind kind = command.kind();
        if (kind.isDml()) {
            // A result set instead of an OK (INSERT … RETURNING) has no affected rows, but as many rows.
            if (response.affectedRows() == 0 && response.rows() == 0) {
                return NONE;
            }
            boolean countMisleads = foundRows && (kind == StatementKind.UPDATE || kind == StatementKind.INSERT);
            return countMisleads || temporaryTables ? MAYBE : SURE;
        }
        if (changesSchema(kind)) {
            StatementSummary summary = command.summary();
            return summary != null && summary.temporary() ? NONE : SURE;
        }
        return kind.writes() ? MAYBE : NONE;
    }

    /** Statements that are logged as a transaction of their own and counted as {@code ddl}. */
    static boolean changesSchema(StatementKind kind) {
        return kind.isDdl() || kind == StatementKind.GRANT;
    }
}
