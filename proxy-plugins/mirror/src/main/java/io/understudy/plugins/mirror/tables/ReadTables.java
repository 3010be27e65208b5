package io.understudy.plugins.mirror.tables;

import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables that a statement reads, each with its schema. */
public final class ReadTables {
    private ReadTables() {}

    /**
     * Returns the tables that a statement reads.
     *
     * @param schema default schema, or null
     */
    public static List<TableName> of(StatementSummary summary, @Nullable String schema) {
        return resolved(summary.reads(), schema);
    }

    /** Returns the names with {@code schema} where a name has none. */
    public static List<TableName> resolved(List<TableName> names, @Nullable String schema) {
        boolean complete = true;
        for (int i = 0; i < names.size(); i++) {
            complete &= names.get(i).schema() != null;
        }
        if (complete) {
            return names;
        }
        List<TableName> resolved = new ArrayList<>(names.size());
        for (TableName name : names) {
            resolved.add(name.schema() == null ? new TableName(schema, name.table()) : name);
        }
        return resolved;
    }
}
