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

    private Set<TableName> names = Set.of();
    private boolean unknown;

    boolean any() {
        return unknown || !names.isEmpty();
    }

    void created(List<TableName> tables, @Nullable String schema) {
        if (names.isEmpty()) {
            names = new HashSet<>();
        }
        for (TableName table : tables) {
            names.add(in(schema, table));
        }
        if (tables.isEmpty() || names.size() > LIMIT) {
            unknown = true;
            names = Set.of();
        }
    }

    /** {@code DROP TABLE} drops the temporary table where there is one of that name. */
    void dropped(List<TableName> tables, @Nullable String schema) {
        if (!names.isEmpty()) {
            for (TableName table : tables) {
                names.remove(in(schema, table));
            }
        }
    }

    /** {@code ALTER TABLE} and {@code RENAME TABLE} may give one another name. */
    void renamed() {
        unknown |= any();
    }

    void clear() {
        names = Set.of();
        unknown = false;
    }

    private static TableName in(@Nullable String schema, TableName table) {
        return table.schema() != null || schema == null ? table : new TableName(schema, table.table());
    }
}
