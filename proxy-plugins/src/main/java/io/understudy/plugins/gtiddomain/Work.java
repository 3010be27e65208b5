package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.CommandView;
import io.understudy.sql.NotPure;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a statement does to the binary log, as far as its text tells; in doubt it writes something unknown. */
enum Work {
    /** Nothing. */
    NONE,
    /** Begins a transaction. */
    BEGIN,
    /** Sets {@code gtid_domain_id} or something next to it. */
    STEERS,
    /** Writes the tables that its summary lists. */
    TABLES,
    /** Writes, or may write, tables that cannot be told. */
    UNKNOWN;

    boolean writes() {
        return this == TABLES || this == UNKNOWN;
    }

    static Work of(CommandView command, @Nullable StatementSummary summary, boolean temporaryTables) {
        // By the first word, so that SET STATEMENT ... FOR counts as SET.
        boolean readText = command.kind() == StatementKind.SET
                || summary != null && (summary.kind() == StatementKind.MULTI || summary.kind() == StatementKind.SET);
        return of(command.kind(), readText ? command.text() : null, summary, temporaryTables);
    }

    /**
     * As above, from parts.
     *
     * @param kind by the first word
     * @param text of a SET, or of several statements; null for any other
     */
    static Work of(
            StatementKind kind, @Nullable String text, @Nullable StatementSummary summary, boolean temporaryTables) {
        boolean mayTellText = kind == StatementKind.SET
                || summary != null && (summary.kind() == StatementKind.MULTI || summary.kind() == StatementKind.SET);
        if (mayTellText && steers(text)) {
            return STEERS;
        }
        if (summary == null) {
            return kind == StatementKind.BEGIN ? BEGIN : UNKNOWN;
        }
        Work byKind = byKind(summary);
        return byKind == TABLES && temporaryTables ? UNKNOWN : byKind;
    }

    private static boolean steers(@Nullable String text) {
        if (text == null) {
            return false;
        }
        String folded = text.toLowerCase(Locale.ROOT);
        return folded.contains("gtid_domain_id") || folded.contains("gtid_seq_no");
    }

    private static Work byKind(StatementSummary summary) {
        return switch (summary.kind()) {
            case BEGIN, XA -> BEGIN;
            case XA_PREPARE, XA_COMMIT, XA_ROLLBACK -> UNKNOWN;
            case SET, DO -> summary.functions().isEmpty() ? NONE : UNKNOWN;
            case USE,
                    COMMIT,
                    ROLLBACK,
                    SAVEPOINT,
                    LOCK,
                    UNLOCK,
                    HANDLER,
                    PREPARE,
                    DEALLOCATE,
                    FLUSH,
                    KILL,
                    CHANGE,
                    RESET,
                    SIGNAL,
                    GET_DIAGNOSTICS,
                    EMPTY,
                    SHOW,
                    DESCRIBE,
                    HELP -> NONE;
            case SELECT, VALUES, TABLE, EXPLAIN -> readsOnly(summary) ? NONE : UNKNOWN;
            case INSERT, REPLACE, UPDATE, DELETE, LOAD, TRUNCATE, CREATE, ALTER, DROP, RENAME, ADMIN ->
                legible(summary.reason())
                                && !summary.writes().isEmpty()
                                && summary.functions().isEmpty()
                                && !summary.temporary()
                        ? TABLES
                        : UNKNOWN;
            case CALL, EXECUTE, GRANT, BINLOG, BLOCK, INSTALL, MULTI, UNKNOWN -> UNKNOWN;
        };
    }

    private static boolean readsOnly(StatementSummary summary) {
        NotPure reason = summary.reason();
        return summary.functions().isEmpty()
                && summary.writes().isEmpty()
                && (reason == null
                        || reason == NotPure.LOCKING_READ
                        || reason == NotPure.USER_VARIABLE
                        || reason == NotPure.SIDE_EFFECT_FUNCTION
                        || reason == NotPure.SESSION_STATE
                        || reason == NotPure.INTO);
    }

    private static boolean legible(@Nullable NotPure reason) {
        if (reason == null) {
            return true;
        }
        return switch (reason) {
            case EXECUTABLE_COMMENT, MULTI_STATEMENT, UNPARSED, TOO_LONG, CHARSET, STORED_FUNCTION, UNKNOWN_FUNCTION ->
                false;
            default -> true;
        };
    }
}
