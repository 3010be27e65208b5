package io.understudy.sql;

import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the proxy knows of a statement from its text. Immutable; shared between sessions through the analyser's cache.
 */
public final class StatementSummary {

    private final long digest;
    private final StatementKind kind;
    private final List<TableName> reads;
    private final List<TableName> writes;
    private final @Nullable NotPure reason;
    private final boolean pureButForFunctions;
    private final boolean ownSettings;
    private final boolean oneProduct;
    private final boolean touchesSession;
    private final boolean userVariables;
    private final boolean readsDiagnostics;
    private final boolean sessionDependent;
    private final boolean temporary;
    private final boolean implicitCommit;
    private final @Nullable String useSchema;
    private final List<String> functions;
    private final StatementKind runs;
    private final boolean writesListed;
    private final boolean changesSchema;

    StatementSummary(
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
            boolean changesSchema) {
        this.digest = digest;
        this.kind = kind;
        this.reads = reads;
        this.writes = writes;
        this.reason = reason;
        this.pureButForFunctions = pureButForFunctions;
        this.ownSettings = ownSettings;
        this.oneProduct = oneProduct;
        this.touchesSession = touchesSession;
        this.userVariables = userVariables;
        this.readsDiagnostics = readsDiagnostics;
        this.sessionDependent = sessionDependent;
        this.temporary = temporary;
        this.implicitCommit = implicitCommit;
        this.useSchema = useSchema;
        this.functions = functions;
        this.runs = runs;
        this.writesListed = writesListed;
        this.changesSchema = changesSchema;
    }

    /** The same for statements that differ only in literals, list lengths, blanks, comments, case and quotes. */
    public long digest() {
        return digest;
    }

    /** This, if what it allows is allowed by {@code other} too, a summary of the same text read in another way. */
    StatementSummary asSureAs(StatementSummary other) {
        boolean sure = reason == null
                ? other.reason == null
                : (!pureButForFunctions || other.pureButForFunctions && functions.containsAll(other.functions))
                        && (!ownSettings || other.ownSettings && functions.containsAll(other.functions));
        boolean sameTables =
                reads.equals(other.reads) && writes.equals(other.writes) && functions.equals(other.functions);
        return sure && (sameTables || !writesListed) && (touchesSession || !other.touchesSession)
                ? this
                : new StatementSummary(
                        digest,
                        kind,
                        reads,
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
                        changesSchema || other.changesSchema);
    }

    /** The digest as 16 lower-case hexadecimal digits. */
    public String digestHex() {
        return HexFormat.of().toHexDigits(digest);
    }

    public StatementKind kind() {
        return kind;
    }

    /** The kind of the statement that is run: the one that {@code SET STATEMENT … FOR} carries, otherwise {@link #kind()}. */
    public StatementKind runs() {
        return runs;
    }

    /**
     * Whether {@link #writes()} has every table that the text can write by itself, triggers and called functions aside. False for CALL,
     * EXECUTE, DROP DATABASE and whatever is not understood, also within a text of several statements.
     */
    public boolean writesListed() {
        return writesListed;
    }

    /** Whether it may change a schema that other sessions see; false for TRUNCATE. */
    public boolean changesSchema() {
        return changesSchema;
    }

    /** Tables read, as named; no derived tables and no common table expressions. */
    public List<TableName> reads() {
        return reads;
    }

    /** Tables and sequences written, created, changed or dropped, as named. */
    public List<TableName> writes() {
        return writes;
    }

    /** Whether running it elsewhere as well has no effect but the reading. When in doubt, false. */
    public boolean pureRead() {
        return reason == null;
    }

    /** Why it is not a pure read, or null if it is one. */
    public @Nullable NotPure reason() {
        return reason;
    }

    /**
     * Whether it is a pure read if the named functions are taken for pure.
     *
     * @param lowerCaseNames names as in {@link #functions()}
     */
    public boolean pureReadAllowing(Set<String> lowerCaseNames) {
        return reason == null || pureButForFunctions && lowerCaseNames.containsAll(functions);
    }

    /**
     * Whether it is {@code SET STATEMENT … FOR} a query that is a pure read, with settings that affect only how the query reads.
     * {@link #pureRead} is false for it, because it is no query by its kind.
     *
     * @param lowerCaseNames functions taken for pure, names as in {@link #functions()}
     */
    public boolean pureReadWithOwnSettings(Set<String> lowerCaseNames) {
        return ownSettings && lowerCaseNames.containsAll(functions);
    }

    /**
     * Whether a statement in it may change the session's settings, schema, locks or temporary tables, or is not understood. A
     * {@code SET STATEMENT} does so only by the statement that it carries.
     */
    public boolean touchesSession() {
        return touchesSession;
    }

    /** Whether it calls a function that MariaDB or MySQL has built in and the other has not. */
    public boolean oneProduct() {
        return oneProduct;
    }

    /** Whether it mentions a user variable ({@code @x}). */
    public boolean userVariables() {
        return userVariables;
    }

    /**
     * Whether it reads what the statement before it left behind: {@code SHOW WARNINGS}, {@code GET DIAGNOSTICS},
     * {@code ROW_COUNT()}, {@code FOUND_ROWS()}, {@code @@warning_count}, … Not {@code LAST_INSERT_ID()}: it is left behind by the
     * last statement that inserted, however many others came after it.
     */
    public boolean readsDiagnostics() {
        return readsDiagnostics;
    }

    /** Whether its meaning is another in another session: {@code CONNECTION_ID()}, {@code @x}, {@code CURRENT_USER}. */
    public boolean sessionDependent() {
        return sessionDependent;
    }

    /** Whether it creates or drops a temporary table. */
    public boolean temporary() {
        return temporary;
    }

    /** Whether it may end an open transaction without saying so. */
    public boolean implicitCommit() {
        return implicitCommit;
    }

    /** The schema that a {@code USE} names, else null. */
    public @Nullable String useSchema() {
        return useSchema;
    }

    /**
     * Called functions that are not known as built in, lower case, with their schema where it is written. Of schema changes only those
     * of a query that they run.
     */
    public List<String> functions() {
        return functions;
    }

    @Override
    public String toString() {
        return kind + " " + digestHex() + (reason == null ? " pure" : " " + reason.label()) + " r=" + reads + " w="
                + writes;
    }
}
