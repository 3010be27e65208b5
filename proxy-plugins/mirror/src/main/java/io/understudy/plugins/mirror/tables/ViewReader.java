package io.understudy.plugins.mirror.tables;

import io.understudy.rules.ReadFitness;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Classifies what a name stands for: a view's definition by the same classifier as statements, and the views that it
 * reads in turn.
 */
public final class ViewReader {
    /** Reason for a view whose definition the account must not see. */
    public static final String UNREADABLE = "definition_not_visible";

    /** Reason for a view that reads a name which the account does not see, so that it may be a view itself. */
    static final String HIDDEN_TABLE = "table_not_visible";

    /** Names that a view may read, through other views too. */
    private static final int MAX_NAMES = 200;

    private final TableDictionary dictionary;
    private final Set<String> functions;
    private final SqlAnalyzer analyzer = new SqlAnalyzer(SqlAnalyzer.DEFAULT_MAX_LENGTH, 1);

    /** @param functions stored functions that only read */
    public ViewReader(TableDictionary dictionary, Set<String> functions) {
        this.dictionary = dictionary;
        this.functions = functions;
    }

    /** Returns what the name is. Blocks. */
    public TableState read(TableName name) throws SQLException {
        long queriedNanos = System.nanoTime();
        Set<TableName> names = new LinkedHashSet<>();
        Deque<TableName> open = new ArrayDeque<>();
        open.add(name);
        String reason = null;
        TableState.Kind against = TableState.Kind.VIEW;
        while (reason == null && !open.isEmpty()) {
            TableName next = open.remove();
            if (!names.add(next)) {
                continue;
            }
            if (names.size() > MAX_NAMES) {
                reason = "too_many_tables";
                against = TableState.Kind.VIEW;
                break;
            }
            TableDictionary.Found found = dictionary.find(next);
            if (found == null && next.equals(name)) {
                return new TableState(
                        TableState.Kind.ABSENT, null, Set.of(name), queriedNanos, dictionary.errorOfReading(name));
            }
            against = found == null || found.view() ? TableState.Kind.VIEW : TableState.Kind.ENGINE;
            reason = found == null ? HIDDEN_TABLE : reasonAgainst(next, found, open);
        }
        return new TableState(
                reason == null ? TableState.Kind.READS : against, reason, Set.copyOf(names), queriedNanos, null);
    }

    private @Nullable String reasonAgainst(TableName name, TableDictionary.Found found, Deque<TableName> open) {
        if (!found.view()) {
            return found.unfitEngine();
        }
        String definition = found.definition();
        if (definition == null || definition.isBlank()) {
            return UNREADABLE;
        }
        byte[] text = definition.getBytes(StandardCharsets.UTF_8);
        StatementSummary summary = analyzer.summarize(text, 0, text.length, dictionary.modes());
        String unfit = ReadFitness.unfit(summary, functions, name.schema(), null);
        if (unfit == null) {
            open.addAll(ReadTables.of(summary, name.schema()));
        }
        return unfit;
    }
}
