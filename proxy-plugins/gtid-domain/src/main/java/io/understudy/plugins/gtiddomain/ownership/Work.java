package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugin.CommandView;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Effect of a statement on the binary log, from its text; in doubt it writes unknown tables. */
public enum Work {
    /** Writes nothing. */
    NONE,
    /** Begins a transaction. */
    BEGIN,
    /** Sets {@code gtid_domain_id} or a related variable. */
    STEERS,
    /** Writes the tables that its summary lists, in one statement or in several that do nothing else. */
    TABLES,
    /**
     * Several statements: they write the tables that the summary lists and stay in the default domain, since one of
     * them may begin a transaction or change a setting.
     */
    SEVERAL,
    /** Runs stored functions: writes the tables that its summary lists, and those that the functions write. */
    CALLS,
    /** Writes, or may write, unknown tables. */
    UNKNOWN;

    public boolean writes() {
        return this == TABLES || this == SEVERAL || this == CALLS || this == UNKNOWN;
    }

    /** Returns whether every table that it writes is known, apart from triggers and foreign keys. */
    boolean tablesKnown() {
        return this == TABLES || this == SEVERAL;
    }

    public static Work of(
            CommandView command, @Nullable StatementSummary summary, boolean temporaryTables, boolean callsStored) {
        // By the first word, so that SET STATEMENT ... FOR counts as SET.
        String text = mayTellText(command.kind(), summary) ? command.text() : null;
        return of(command.kind(), text, summary, temporaryTables, callsStored);
    }

    private static boolean mayTellText(StatementKind kind, @Nullable StatementSummary summary) {
        return kind == StatementKind.SET
                || summary != null && (summary.kind() == StatementKind.MULTI || summary.kind() == StatementKind.SET);
    }

    /**
     * Returns the work from its parts.
     *
     * @param kind by the first word
     * @param text of a SET, or of several statements; null for any other
     * @param callsStored whether one of the functions that it calls may be a stored one that writes
     */
    public static Work of(
            StatementKind kind,
            @Nullable String text,
            @Nullable StatementSummary summary,
            boolean temporaryTables,
            boolean callsStored) {
        if (mayTellText(kind, summary) && steers(text)) {
            return STEERS;
        }
        if (summary == null) {
            return kind == StatementKind.BEGIN ? BEGIN : UNKNOWN;
        }
        if (summary.runs() == StatementKind.BEGIN || summary.runs() == StatementKind.XA) {
            return BEGIN;
        }
        boolean several = summary.kind() == StatementKind.MULTI;
        boolean writes = !summary.writes().isEmpty();
        if (!summary.writesListed()
                || several && summary.useSchema() != null
                || writes && (summary.temporary() || temporaryTables)) {
            return summary.runs() == StatementKind.CALL ? CALLS : UNKNOWN;
        }
        if (callsStored) {
            return CALLS;
        }
        if (!writes || locks(summary)) {
            return NONE;
        }
        return several && !summary.changesDataOnly() ? SEVERAL : TABLES;
    }

    /** Returns whether it may be a SET ROLE or SET DEFAULT ROLE, after which the session has other privileges. */
    public static boolean mayChangeRole(CommandView command, @Nullable StatementSummary summary) {
        String text = mayTellText(command.kind(), summary) ? command.text() : null;
        return text != null && text.toLowerCase(Locale.ROOT).contains("role");
    }

    /** The summary of LOCK TABLES lists the tables that it locks. */
    private static boolean locks(StatementSummary summary) {
        return summary.runs() == StatementKind.LOCK;
    }

    private static boolean steers(@Nullable String text) {
        if (text == null) {
            return false;
        }
        String folded = text.toLowerCase(Locale.ROOT);
        return folded.contains("gtid_domain_id") || folded.contains("gtid_seq_no");
    }
}
