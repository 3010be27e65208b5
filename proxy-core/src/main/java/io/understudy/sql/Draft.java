package io.understudy.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is known so far of a statement being summarised. */
final class Draft {

    private static final int MAX_NAMES = 256;

    private final List<TableName> reads = new ArrayList<>(2);
    private final List<TableName> writes = new ArrayList<>(1);
    private final List<String> functions = new ArrayList<>(0);
    private @Nullable NotPure reason;
    private @Nullable NotPure functionReason;
    boolean userVariables;
    boolean readsDiagnostics;
    boolean sessionDependent;
    boolean temporary;
    boolean commits;

    @Nullable
    String useSchema;

    /** The first reason stays. */
    void notPure(NotPure why) {
        if (reason == null) {
            reason = why;
        }
    }

    /** A reason that outranks those found before it. */
    void notPureAboveAll(NotPure why) {
        reason = why;
    }

    void calls(String name, NotPure why) {
        if (functionReason == null) {
            functionReason = why;
        }
        if (functions.size() >= MAX_NAMES) {
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
        add(writes, table);
    }

    /** Tables of a statement that is only explained are read at most. */
    void demoteWrites() {
        writes.forEach(this::reads);
        writes.clear();
    }

    private void add(List<TableName> list, TableName table) {
        if (list.size() >= MAX_NAMES) {
            notPure(NotPure.TOO_LONG);
        } else if (!list.contains(table)) {
            list.add(table);
        }
    }

    StatementSummary finish(long digest, StatementKind kind) {
        NotPure why = reason != null ? reason : functionReason;
        return new StatementSummary(
                digest,
                kind,
                List.copyOf(reads),
                List.copyOf(writes),
                why,
                reason == null,
                userVariables,
                readsDiagnostics,
                sessionDependent,
                temporary,
                kind.implicitCommit() && !temporary || commits,
                useSchema,
                List.copyOf(functions));
    }
}
