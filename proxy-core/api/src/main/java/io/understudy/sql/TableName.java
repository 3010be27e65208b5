package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/**
 * A table, view or sequence as a statement names it, without quotes; {@code schema} is null if the statement names
 * none.
 */
public record TableName(@Nullable String schema, String table) {

    @Override
    public String toString() {
        return schema == null ? table : schema + "." + table;
    }
}
