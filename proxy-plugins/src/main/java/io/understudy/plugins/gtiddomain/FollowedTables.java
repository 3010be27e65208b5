package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The tables of which anything is known, no more than a limit: those that nobody owns make room for others. Any thread. */
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

    /** Tables found to be written in ways that a proxy cannot steer. */
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
     * The table's entry, or the one of unknown tables when there are too many.
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

    /** Stands for tables that are not known. */
    TableEntry unknown() {
        return unknown;
    }

    /** Drops what nobody owns. One thread at a time; the others do without. */
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

    /** Entries of the same names that are in force; for when one was dropped meanwhile. */
    TableEntry[] current(TableEntry[] entries) {
        TableEntry[] fresh = new TableEntry[entries.length];
        for (int i = 0; i < entries.length; i++) {
            fresh[i] = entry(entries[i].name);
        }
        return fresh;
    }

    /** The entry, or null if nothing is known of the table. */
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
