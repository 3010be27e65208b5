package io.understudy.command.settings;

import io.understudy.sql.TableName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of a session's temporary tables, to know when the last one is gone. After a statement whose tables are not
 * known there may be one until the session is reset.
 */
public final class TemporaryTables {
    /** Maximum number of names kept. */
    private static final int LIMIT = 256;

    private Set<TableName> names = Set.of();
    private boolean unknown;

    TemporaryTables() {}

    boolean any() {
        return unknown || !names.isEmpty();
    }

    /** Called when a statement, with {@code schema} as its default, has created some. */
    public void created(List<TableName> tables, @Nullable String schema) {
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

    /** {@code DROP TABLE} drops a temporary table if there is one of that name. */
    public void dropped(List<TableName> tables, @Nullable String schema) {
        if (!names.isEmpty()) {
            for (TableName table : tables) {
                names.remove(in(schema, table));
            }
        }
    }

    /** {@code ALTER TABLE} and {@code RENAME TABLE} may rename a temporary table. */
    public void renamed() {
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
