package io.understudy.rebuild;

import io.understudy.pages.Ask;

/**
 * A table to be rebuilt.
 *
 * @param fileBytes the size of its files
 * @param partitioned whether it has partitions
 */
record Subject(String schema, String table, long fileBytes, boolean partitioned) {
    String shown() {
        return schema + "." + table;
    }

    /** The name as SQL has it. */
    String quoted() {
        return Ask.name(schema) + "." + Ask.name(table);
    }
}
