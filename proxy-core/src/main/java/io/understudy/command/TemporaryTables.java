package io.understudy.command;

import io.understudy.sql.TableName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The temporary tables of a session, by name, so that it is known when the last of them is gone. After what cannot be followed by
 * names there may be one until the session is reset.
 */
final class TemporaryTables {
    /** More are not told apart. */
    private static final int LIMIT = 256;

    private @Nullable Set<TableName> names;
    private boolean unknown;

    boolean any() {
        Set<TableName> known = names;
        return unknown || known != null && !known.isEmpty();
    }

    void created(List<TableName> tables, @Nullable String schema) {
        Set<TableName> known = names;
        if (known == null) {
            known = new HashSet<>();
            names = known;
        }
        for (TableName table : tables) {
            known.add(in(schema, table));
        }
        if (tables.isEmpty() || known.size() > LIMIT) {
            unknown = true;
            known.clear();
        }
    }

    /** {@code DROP TABLE} drops the temporary table where there is one of that name. */
    void dropped(List<TableName> tables, @Nullable String schema) {
        Set<TableName> known = names;
        if (known != null) {
            for (TableName table : tables) {
                known.remove(in(schema, table));
            }
        }
    }

    /** {@code ALTER TABLE} and {@code RENAME TABLE} may give one another name. */
    void renamed() {
        unknown |= any();
    }

    void clear() {
        names = null;
        unknown = false;
    }

    private static TableName in(@Nullable String schema, TableName table) {
        return table.schema() != null || schema == null ? table : new TableName(schema, table.table());
    }
}
