package io.understudy.plugins.gtiddomain;

import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * From a statement's summary to the entries of the tables that it writes, which is remembered by digest and schema: a
 * repeated statement costs a lookup. Any thread.
 */
final class TableResolver {
    private static final int CACHE_SIZE = 4096;
    /** A statement that writes more tables than that is not worth following one by one. */
    private static final int MAX_TABLES = 32;

    private record Resolved(long digest, @Nullable String schema, Catalog catalog, TableEntry[] entries) {}

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
    TableEntry[] written(Work work, @Nullable StatementSummary summary, @Nullable String schema) {
        if (work != Work.TABLES || summary == null) {
            return unknown;
        }
        Catalog catalog = dictionary.catalog();
        int slot = (int) (summary.digest() ^ summary.digest() >>> 32) & CACHE_SIZE - 1;
        Resolved known = cache.get(slot);
        if (known != null
                && known.digest == summary.digest()
                && known.catalog == catalog
                && Objects.equals(known.schema, schema)
                && current(known.entries)) {
            return known.entries;
        }
        TableEntry[] entries = resolve(summary.writes(), schema, catalog);
        cache.set(slot, new Resolved(summary.digest(), schema, catalog, entries));
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
