package io.understudy.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Partial result while a statement is being summarised. */
final class Draft {

    private static final int MAX_NAMES = 256;
    /** The longest name that a server of either product accepts, in characters. Summaries are kept, longer ones not. */
    static final int LONGEST_NAME = 64;

    private final List<TableName> reads = new ArrayList<>(2);
    private final List<TableName> writes = new ArrayList<>(1);
    private final List<String> functions = new ArrayList<>(0);
    private @Nullable NotPure reason;
    private @Nullable NotPure functionReason;
    boolean userVariables;
    boolean readsDiagnostics;
    boolean sessionDependent;
    /** The statement at hand, not one within it, creates or drops a temporary table. */
    boolean temporary;

    boolean anyTemporary;
    boolean commits;
    /** It may write tables that are not in the list of those written. */
    boolean unlisted;
    /** It may change the schema of something that other sessions see. */
    boolean schema;
    /** Every statement so far reads or changes rows and does nothing else. */
    boolean dataOnly = true;
    /** Kind of the statement that a SET STATEMENT carries. */
    @Nullable
    StatementKind carried;
    /** It calls a function that only one product has built in. */
    boolean oneProduct;
    /** Something in it may change the session's settings, schema, locks or temporary tables. */
    boolean touchesSession;
    /** It is a SET STATEMENT with harmless settings, FOR a query. */
    boolean ownSettings;

    private int writings;

    @Nullable
    String useSchema;

    /** Sets the reason unless there is one already. */
    void notPure(NotPure why) {
        unlisted |= hidesTables(why);
        if (reason == null) {
            reason = why;
        }
    }

    /** Sets a reason that overrides earlier ones. */
    void notPureAboveAll(NotPure why) {
        unlisted |= hidesTables(why);
        reason = why;
    }

    private static boolean hidesTables(NotPure why) {
        return switch (why) {
            case UNPARSED, TOO_LONG, CHARSET, EXECUTABLE_COMMENT -> true;
            default -> false;
        };
    }

    /** Number of calls of {@link #writes}: more than the tables, since statements of one text may name the same. */
    int writings() {
        return writings;
    }

    void calls(String name, NotPure why) {
        if (functionReason == null) {
            functionReason = why;
        }
        if (name.length() > 2 * LONGEST_NAME) {
            notPure(NotPure.UNPARSED);
        } else if (functions.size() >= MAX_NAMES) {
            notPure(NotPure.TOO_LONG);
        } else {
            String lower = name.toLowerCase(Locale.ROOT);
            if (!functions.contains(lower)) {
                functions.add(lower);
            }
        }
    }

    void reads(TableName table) {
        add(reads, table);
    }

    void writes(TableName table) {
        writings++;
        add(writes, table);
    }

    /** Number of tables written so far. */
    int written() {
        return writes.size();
    }

    /** Turns all writes but the first ones into reads: an explained statement is not executed. */
    void demoteWrites(int from) {
        List<TableName> demoted = writes.subList(from, writes.size());
        demoted.forEach(this::reads);
        demoted.clear();
    }

    private void add(List<TableName> list, TableName table) {
        String schemaName = table.schema();
        if (table.table().length() > LONGEST_NAME || schemaName != null && schemaName.length() > LONGEST_NAME) {
            notPure(NotPure.UNPARSED);
        } else if (list.size() >= MAX_NAMES) {
            notPure(NotPure.TOO_LONG);
        } else if (!list.contains(table)) {
            list.add(table);
        }
    }

    /** For these the statements that a text holds are not known for sure. */
    private static boolean isUnread(@Nullable NotPure why) {
        return why != null
                && switch (why) {
                    case UNPARSED, EXECUTABLE_COMMENT, TOO_LONG, CHARSET, QUOTES_UNKNOWN -> true;
                    default -> false;
                };
    }

    StatementSummary finish(long digest, StatementKind kind) {
        NotPure why =
                reason != null ? reason : functionReason != null || !ownSettings ? functionReason : NotPure.NOT_A_READ;
        return new StatementSummary(
                digest,
                kind,
                List.copyOf(reads),
                List.copyOf(writes),
                why,
                reason == null && !ownSettings,
                reason == null && ownSettings,
                oneProduct,
                touchesSession || isUnread(reason),
                userVariables,
                readsDiagnostics,
                sessionDependent,
                anyTemporary,
                commits,
                useSchema,
                List.copyOf(functions),
                carried == null ? kind : carried,
                !unlisted,
                schema,
                dataOnly);
    }
}
