package io.understudy.sql;

import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The analysis of a statement's text. Immutable; shared by sessions through the analyser's cache, which alone creates
 * it.
 *
 * @param digest equal for statements that differ only in literals, list lengths, blanks, comments, case or quotes
 * @param reads the tables read, as written in the statement; without derived tables and common table expressions
 * @param writes the tables and sequences written, created, altered or dropped, as written in the statement
 * @param reason why it is not a pure read, or null if it is one
 * @param pureButForFunctions see {@link #pureReadAllowing}
 * @param ownSettings see {@link #pureReadWithOwnSettings}
 * @param oneProduct whether it calls a function that only one of MariaDB and MySQL has built in
 * @param touchesSession whether a statement in it may change the session's settings, schema, locks or temporary tables,
 *     or is not understood. For {@code SET STATEMENT} the statement after FOR decides
 * @param userVariables whether it mentions a user variable ({@code @x})
 * @param readsDiagnostics whether it reads the diagnostics of the preceding statement: {@code SHOW WARNINGS},
 *     {@code GET DIAGNOSTICS}, {@code ROW_COUNT()}, {@code FOUND_ROWS()}, {@code @@warning_count}, … Not
 *     {@code LAST_INSERT_ID()}, whose value survives statements that do not insert
 * @param sessionDependent whether its meaning depends on the session: {@code CONNECTION_ID()}, {@code @x},
 *     {@code CURRENT_USER}
 * @param temporary whether it creates or drops a temporary table
 * @param implicitCommit whether it may end an open transaction implicitly
 * @param useSchema the schema that a {@code USE} names, else null
 * @param functions the called functions that are not known built-ins, lower case, with their schema if it is written.
 *     For a schema change, only those of a query that it executes
 * @param runs the kind of the statement that is executed: the one after {@code SET STATEMENT … FOR}, otherwise
 *     {@code kind}
 * @param writesListed whether {@code writes} has every table that the text itself can write; triggers and called
 *     functions may write more. False for CALL, EXECUTE, DROP DATABASE and statements that are not understood, also
 *     within a text of several statements
 * @param changesSchema whether it may change a schema that other sessions see; false for TRUNCATE
 * @param changesDataOnly whether every statement of the text is an INSERT, UPDATE, DELETE, REPLACE or SELECT: none
 *     begins or ends a transaction, or changes a setting for the ones behind it
 */
public record StatementSummary(
        long digest,
        StatementKind kind,
        List<TableName> reads,
        List<TableName> writes,
        @Nullable NotPure reason,
        boolean pureButForFunctions,
        boolean ownSettings,
        boolean oneProduct,
        boolean touchesSession,
        boolean userVariables,
        boolean readsDiagnostics,
        boolean sessionDependent,
        boolean temporary,
        boolean implicitCommit,
        @Nullable String useSchema,
        List<String> functions,
        StatementKind runs,
        boolean writesListed,
        boolean changesSchema,
        boolean changesDataOnly) {
    /**
     * Returns this summary if {@code other}, a summary of the same text under another reading, allows everything that
     * this one allows.
     */
    StatementSummary asSureAs(StatementSummary other) {
        boolean sure = reason == null
                ? other.reason == null
                : (!pureButForFunctions || other.pureButForFunctions && functions.containsAll(other.functions))
                        && (!ownSettings || other.ownSettings && functions.containsAll(other.functions));
        boolean sameTables =
                reads.equals(other.reads) && writes.equals(other.writes) && functions.equals(other.functions);
        return sure
                        && (sameTables || !writesListed && reads.containsAll(other.reads))
                        && (touchesSession || !other.touchesSession)
                ? this
                : new StatementSummary(
                        digest,
                        kind,
                        union(reads, other.reads),
                        writes,
                        sure ? reason : NotPure.QUOTES_UNKNOWN,
                        sure && pureButForFunctions,
                        sure && ownSettings,
                        oneProduct || other.oneProduct,
                        !sure || touchesSession || other.touchesSession,
                        userVariables || other.userVariables,
                        readsDiagnostics || other.readsDiagnostics,
                        sessionDependent || other.sessionDependent,
                        temporary,
                        implicitCommit || other.implicitCommit,
                        useSchema,
                        functions,
                        runs,
                        writesListed && other.writesListed && sameTables,
                        changesSchema || other.changesSchema,
                        changesDataOnly && other.changesDataOnly);
    }

    /** Which of the two readings is the server's is unknown: what either of them reads is read. */
    private static List<TableName> union(List<TableName> some, List<TableName> more) {
        if (some.containsAll(more)) {
            return some;
        }
        Set<TableName> all = new LinkedHashSet<>(some);
        all.addAll(more);
        return List.copyOf(all);
    }

    /** Returns the digest as 16 lower-case hexadecimal digits. */
    public String digestHex() {
        return HexFormat.of().toHexDigits(digest);
    }

    /** Returns whether executing it on another server has no effect but the reading. False when in doubt. */
    public boolean pureRead() {
        return reason == null;
    }

    /**
     * Returns whether it is a pure read if the named functions count as pure.
     *
     * @param lowerCaseNames names as in {@link #functions()}
     */
    public boolean pureReadAllowing(Set<String> lowerCaseNames) {
        return reason == null || pureButForFunctions && lowerCaseNames.containsAll(functions);
    }

    /**
     * Returns whether it is {@code SET STATEMENT … FOR} a pure read, with settings that affect only how that query
     * reads. {@link #pureRead} is false for it, because its kind is not a query.
     *
     * @param lowerCaseNames functions that count as pure, names as in {@link #functions()}
     */
    public boolean pureReadWithOwnSettings(Set<String> lowerCaseNames) {
        return ownSettings && lowerCaseNames.containsAll(functions);
    }

    @Override
    public String toString() {
        return kind + " " + digestHex() + (reason == null ? " pure" : " " + reason.label()) + " r=" + reads + " w="
                + writes;
    }
}
