package io.understudy.rebuild;

import io.understudy.sql.Quoting;

/**
 * A table to rebuild.
 *
 * @param fileBytes the size of its files
 * @param partitioned whether it has partitions
 */
record Subject(String schema, String table, long fileBytes, boolean partitioned) {
    /** Returns {@code schema.table}, for display and for the proxy. */
    String shown() {
        return schema + "." + table;
    }

    /** Returns the quoted name for SQL statements. */
    String quoted() {
        return Quoting.name(schema, table);
    }
}
