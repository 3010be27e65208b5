package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.catalog.Catalog;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.catalog.Relations;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Resolves a statement's summary to the entries of the tables that its replication depends on. The result is cached by
 * summary and schema, so that a repeated statement costs one lookup. These are the tables that it writes, and those
 * that it or its functions read if the replica runs the statement itself: always for schema changes, for others unless
 * the binary log is in row format. Thread-safe.
 */
public final class TableResolver {
    private static final int CACHE_SIZE = 4096;
    /** A statement that writes more tables is not followed table by table. */
    private static final int MAX_TABLES = 32;
    /** A statement over more tables ties none of them. */
    private static final int MAX_TIED = 8;

    /**
     * The result for one statement, and all that it depends on. The relations go when the dictionary has others: a
     * statement that is never repeated would keep the whole of its catalogue.
     */
    private record Resolved(
            StatementSummary summary,
            Work work,
            @Nullable String schema,
            WeakReference<Relations> relations,
            boolean rowFormat,
            TableEntry[] entries) {}

    private final TableOwnership ownership;
    private final Dictionary dictionary;
    private final TableEntry[] unknown;
    private final AtomicReferenceArray<@Nullable Resolved> cache = new AtomicReferenceArray<>(CACHE_SIZE);

    public TableResolver(TableOwnership ownership, Dictionary dictionary) {
        this.ownership = ownership;
        this.dictionary = dictionary;
        unknown = new TableEntry[] {ownership.unknown()};
    }

    /** Returns the entries, not to be modified; never empty. */
    @SuppressWarnings("ReferenceEquality") // summaries are shared
    public TableEntry[] touched(Work work, @Nullable StatementSummary summary, @Nullable String schema) {
        boolean known = work.tablesKnown();
        if (summary == null || !known && (summary.writes().isEmpty() || summary.useSchema() != null)) {
            return unknown;
        }
        Relations relations = dictionary.relations();
        int index = (int) (summary.digest() ^ summary.digest() >>> 32) & CACHE_SIZE - 1;
        boolean rowFormat = dictionary.rowFormat();
        Resolved before = cache.get(index);
        if (before != null
                && before.summary == summary
                && before.work == work
                && before.relations.refersTo(relations)
                && before.rowFormat == rowFormat
                && Objects.equals(before.schema, schema)
                && current(before.entries)) {
            return before.entries;
        }
        List<TableName> tables = new ArrayList<>(summary.writes());
        List<String> functions = List.of();
        if (!rowFormat || summary.changesSchema()) {
            tables.addAll(summary.reads());
            functions = summary.functions();
        }
        TableEntry[] entries = resolve(tables, functions, schema, relations, known);
        if (entries != unknown && entries != ownership.unfollowed()) { // there may be room for them later
            cache.set(index, new Resolved(summary, work, schema, new WeakReference<>(relations), rowFormat, entries));
        }
        return entries;
    }

    private static boolean current(TableEntry[] entries) {
        for (TableEntry entry : entries) {
            if (entry.dropped()) {
                return false;
            }
        }
        return true;
    }

    /** @param known whether {@code tables} is complete */
    private TableEntry[] resolve(
            List<TableName> tables,
            List<String> functions,
            @Nullable String schema,
            Relations relations,
            boolean known) {
        Catalog catalog = relations.catalog();
        Set<String> touched = new HashSet<>();
        TreeSet<String> names = new TreeSet<>();
        TreeSet<String> families = new TreeSet<>();
        for (TableName table : tables) {
            String where = table.schema() == null ? schema : table.schema();
            if (where == null) {
                return unknown;
            }
            String name = Catalog.name(where, table.table());
            touched.add(name);
            touched.addAll(catalog.readThrough(name));
        }
        for (String function : functions) {
            boolean qualified = function.indexOf('.') >= 0 || schema == null;
            touched.addAll(catalog.readByCall(qualified ? function : schema + "." + function));
        }
        for (String name : touched) {
            families.add(catalog.family(name));
            relations.addNames(name, names);
        }
        if (names.size() > MAX_TABLES) {
            return unknown;
        }
        if (known && families.size() > 1 && families.size() <= MAX_TIED) {
            // Tables once written together are always followed together: otherwise two domains could own them when the
            // statement is repeated.
            dictionary.expand(families, families);
        }
        TableEntry[] entries = new TableEntry[names.size() + (known ? 0 : 1)];
        int count = 0;
        for (String name : names) {
            entries[count] = ownership.entry(name);
            if (entries[count++] == ownership.unknown()) {
                return known && names.size() == 1 ? ownership.unfollowed() : unknown;
            }
        }
        if (!known) {
            entries[count] = ownership.unknown();
        }
        return entries;
    }
}
