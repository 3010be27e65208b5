package io.understudy.plugins.gtiddomain;

import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * From a statement's summary to the entries of the tables that its replication depends on, which is remembered by digest
 * and schema: a repeated statement costs a lookup. These are the tables that it writes, and unless the binary log is in row
 * format those that it reads, since the replica then runs the statement itself. Any thread.
 */
final class TableResolver {
    private static final int CACHE_SIZE = 4096;
    /** A statement that writes more tables than that is not worth following one by one. */
    private static final int MAX_TABLES = 32;

    private record Resolved(
            long digest, @Nullable String schema, Catalog catalog, boolean rowFormat, TableEntry[] entries) {}

    private final TableOwnership ownership;
    private final Dictionary dictionary;
    private final TableEntry[] unknown;
    private final AtomicReferenceArray<@Nullable Resolved> cache = new AtomicReferenceArray<>(CACHE_SIZE);

    TableResolver(TableOwnership ownership, Dictionary dictionary) {
        this.ownership = ownership;
        this.dictionary = dictionary;
        unknown = new TableEntry[] {ownership.unknown()};
    }

    /** The entries, not to be modified; never empty. */
    TableEntry[] touched(Work work, @Nullable StatementSummary summary, @Nullable String schema) {
        if (work != Work.TABLES || summary == null) {
            return unknown;
        }
        Catalog catalog = dictionary.catalog();
        int slot = (int) (summary.digest() ^ summary.digest() >>> 32) & CACHE_SIZE - 1;
        boolean rowFormat = dictionary.rowFormat();
        Resolved known = cache.get(slot);
        if (known != null
                && known.digest == summary.digest()
                && known.catalog == catalog
                && known.rowFormat == rowFormat
                && Objects.equals(known.schema, schema)
                && current(known.entries)) {
            return known.entries;
        }
        List<TableName> tables = new ArrayList<>(summary.writes());
        if (!rowFormat) {
            tables.addAll(summary.reads());
        }
        TableEntry[] entries = resolve(tables, schema, catalog);
        cache.set(slot, new Resolved(summary.digest(), schema, catalog, rowFormat, entries));
        return entries;
    }

    private static boolean current(TableEntry[] entries) {
        for (TableEntry entry : entries) {
            synchronized (entry) {
                if (entry.dropped()) {
                    return false;
                }
            }
        }
        return true;
    }

    private TableEntry[] resolve(List<TableName> tables, @Nullable String schema, Catalog catalog) {
        if (tables.size() > MAX_TABLES) {
            return unknown;
        }
        List<TableEntry> entries = new ArrayList<>();
        for (TableName table : tables) {
            String where = table.schema() == null ? schema : table.schema();
            TableEntry entry = where == null
                    ? ownership.unknown()
                    : ownership.entry(catalog.family(Catalog.name(where, table.table())));
            if (!entries.contains(entry)) {
                entries.add(entry);
            }
        }
        return entries.toArray(new TableEntry[0]);
    }
}
