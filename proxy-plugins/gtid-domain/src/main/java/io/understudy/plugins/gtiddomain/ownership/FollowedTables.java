package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The tables with any known write, of bounded number: tables without an owner make room for others. Thread-safe. */
final class FollowedTables {
    private final Progress progress;
    private final int maxTables;
    private final boolean simulated;
    private final ConcurrentHashMap<String, TableEntry> tables = new ConcurrentHashMap<>();
    private final TableEntry unknown;

    FollowedTables(Progress progress, int maxTables, boolean simulated) {
        this.progress = progress;
        this.maxTables = maxTables;
        this.simulated = simulated;
        unknown = new TableEntry("*", progress, simulated);
    }

    /** Returns the tables found to be written in ways that a proxy cannot steer. */
    List<String> keptInDefault() {
        List<String> names = new ArrayList<>();
        for (TableEntry entry : tables.values()) {
            synchronized (entry) {
                if (entry.unsteerable()) {
                    names.add(entry.name);
                }
            }
        }
        return names;
    }

    /**
     * Returns the table's entry, or the entry of unknown tables if there are too many.
     *
     * @param name lower case {@code schema.table}
     */
    TableEntry entry(String name) {
        TableEntry entry = tables.get(name);
        if (entry != null) {
            return entry;
        }
        return full() ? unknown : tables.computeIfAbsent(name, key -> new TableEntry(key, progress, simulated));
    }

    /** Returns the entry that stands for unknown tables. */
    TableEntry unknown() {
        return unknown;
    }

    /**
     * Drops tables without an owner if a quarter of the room or less is left. Walks over all tables, so that only the
     * poller calls it.
     *
     * @param exists whether a table that stays in the default domain is still there
     */
    void makeRoom(Predicate<String> exists) {
        if (tables.size() < maxTables - maxTables / 4) {
            return;
        }
        for (TableEntry entry : tables.values()) {
            synchronized (entry) {
                if (entry.owners() == 0 && !(entry.unsteerable() && exists.test(entry.name))) {
                    entry.drop();
                    tables.remove(entry.name, entry);
                }
            }
        }
    }

    /** Returns the current entries of the same names, after one was dropped. */
    TableEntry[] current(TableEntry[] entries) {
        TableEntry[] fresh = new TableEntry[entries.length];
        for (int i = 0; i < entries.length; i++) {
            fresh[i] = entry(entries[i].name);
            if (fresh[i] == unknown) {
                return new TableEntry[] {unknown}; // one of them is followed no more, so they are not known as a whole
            }
        }
        return fresh;
    }

    /** Returns the entry, or null if the table has none. */
    @Nullable
    TableEntry find(String name) {
        return tables.get(name);
    }

    Collection<TableEntry> all() {
        return tables.values();
    }

    int size() {
        return tables.size();
    }

    boolean full() {
        return tables.size() >= maxTables;
    }
}
