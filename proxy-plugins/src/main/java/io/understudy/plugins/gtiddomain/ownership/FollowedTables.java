package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The tables with any known write, of bounded number: tables without an owner make room for others. Thread-safe. */
final class FollowedTables {
    private final Progress progress;
    private final int maxTables;
    private final boolean simulated;
    private final ConcurrentHashMap<String, TableEntry> tables = new ConcurrentHashMap<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final TableEntry unknown = new TableEntry("*", 0);

    FollowedTables(Progress progress, int maxTables, boolean simulated) {
        this.progress = progress;
        this.maxTables = maxTables;
        this.simulated = simulated;
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
        if (tables.size() >= maxTables && !sweep()) {
            return unknown;
        }
        return tables.computeIfAbsent(name, key -> new TableEntry(key, 0));
    }

    /** Returns the entry that stands for unknown tables. */
    TableEntry unknown() {
        return unknown;
    }

    /** Drops tables without an owner. One thread at a time; the others do not wait for it. */
    private boolean sweep() {
        if (!sweeping.compareAndSet(false, true)) {
            return false;
        }
        try {
            for (TableEntry entry : tables.values()) {
                synchronized (entry) {
                    if (!entry.unsteerable() && entry.outstanding(progress, simulated) == 0) {
                        entry.drop();
                        tables.remove(entry.name, entry);
                    }
                }
            }
            return tables.size() < maxTables;
        } finally {
            sweeping.set(false);
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
