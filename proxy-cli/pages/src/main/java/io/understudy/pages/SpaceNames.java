package io.understudy.pages;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Names pages by their tablespaces. The server looks up the table of each page while it reads the pool. If tables are
 * exchanged or renamed meanwhile, as online schema changes do, one table's pages have two names, or two tables' pages
 * one. The names of the files afterwards are then valid for all of them.
 */
final class SpaceNames {
    private final Map<Long, TableOrPartition> first = new HashMap<>();
    private final Map<TableOrPartition, Long> owner = new HashMap<>();
    private final Set<Long> unsure = new TreeSet<>();
    private final Map<Long, TableOrPartition> files;

    /**
     * @param files the name of each file that belongs to one table or partition, by its tablespace, after the reading
     */
    SpaceNames(Map<Long, TableOrPartition> files) {
        this.files = files;
    }

    /** Takes in the name that the server gave to a page. */
    void saw(long space, TableOrPartition name) {
        TableOrPartition before = first.putIfAbsent(space, name);
        Long other = owner.putIfAbsent(name, space);
        if (before != null && !before.equals(name)) {
            unsure.add(space);
        }
        if (other != null && other != space) {
            unsure.add(space);
            unsure.add(other);
        }
    }

    /** Returns the name of a page's table; null if the table is gone. */
    @Nullable
    TableOrPartition of(long space, TableOrPartition name) {
        return unsure.contains(space) ? files.get(space) : name;
    }

    /** Returns what the report says about tables that were renamed meanwhile, or an empty text. */
    String note() {
        Set<String> tables = new TreeSet<>();
        for (long space : unsure) {
            TableOrPartition name = files.get(space);
            if (name != null) {
                tables.add(name.shown());
            }
        }
        return tables.isEmpty()
                ? ""
                : "tables were exchanged or renamed while the pool was read; their names are those of afterwards: "
                        + String.join(", ", tables);
    }
}
