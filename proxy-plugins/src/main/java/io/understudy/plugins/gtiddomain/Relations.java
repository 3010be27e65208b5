package io.understudy.plugins.gtiddomain;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Under which names a table's writes are followed: its family; the families that the table was in at the readings before, as
 * long as something written under them is not applied everywhere; and tables that the binary log has shown to be written along with it, or that one statement has named together with it. Immutable.
 *
 * @param catalog the last one read
 * @param earlier other names by family: what was written under these may depend on what is written now
 * @param learned other names by family, from statements over several tables and from the binary log
 */
record Relations(Catalog catalog, Map<String, Set<String>> earlier, Map<String, Set<String>> learned) {
    static final Relations NONE = new Relations(Catalog.EMPTY, Map.of(), Map.of());

    private static final int MAX_LEARNED = 1_000;
    private static final int MAX_PER_TABLE = 16;

    Relations {
        earlier = Map.copyOf(earlier);
        learned = Map.copyOf(learned);
    }

    /** Adds all names of a table's writes; {@code table} is lower case {@code schema.table}. */
    void addNames(String table, Set<String> names) {
        String family = catalog.family(table);
        names.add(family);
        names.addAll(earlier.getOrDefault(family, Set.of()));
        names.addAll(learned.getOrDefault(family, Set.of()));
    }

    /** With a newer catalogue, in which tables may have come to or left families. */
    Relations with(Catalog next) {
        Map<String, Set<String>> names = new HashMap<>();
        Set<String> tables = new TreeSet<>(catalog.tables());
        tables.addAll(next.tables());
        for (String table : tables) {
            String before = catalog.family(table);
            String now = next.family(table);
            if (!before.equals(now)) {
                names.computeIfAbsent(now, name -> new TreeSet<>()).add(before);
            }
            for (String name : earlier.getOrDefault(before, Set.of())) {
                if (!name.equals(now)) {
                    names.computeIfAbsent(now, key -> new TreeSet<>()).add(name);
                }
            }
        }
        Map<String, Set<String>> kept = new HashMap<>();
        learned.forEach((family, others) -> {
            for (String other : others) {
                if (!next.family(other).equals(next.family(family))) {
                    kept.computeIfAbsent(next.family(family), name -> new TreeSet<>())
                            .add(next.family(other));
                }
            }
        });
        return new Relations(next, names, kept);
    }

    /** Without the earlier names under which nothing is outstanding. */
    Relations pruned(Predicate<String> owned) {
        if (earlier.isEmpty()) {
            return this;
        }
        Map<String, Set<String>> kept = new HashMap<>();
        earlier.forEach((family, names) -> names.stream()
                .filter(owned)
                .forEach(name ->
                        kept.computeIfAbsent(family, key -> new TreeSet<>()).add(name)));
        return kept.equals(earlier) ? this : new Relations(catalog, kept, learned);
    }

    /** With what a statement or the binary log has shown; beyond a bound nothing more is learned. */
    Relations expanded(Collection<String> written, Collection<String> alsoWritten) {
        Map<String, Set<String>> more = new HashMap<>(learned);
        for (String family : written) {
            Set<String> others = new TreeSet<>(more.getOrDefault(family, Set.of()));
            alsoWritten.stream().filter(other -> !other.equals(family)).forEach(others::add);
            if (others.size() <= MAX_PER_TABLE && (more.size() < MAX_LEARNED || more.containsKey(family))) {
                more.put(family, Set.copyOf(others));
            }
        }
        return more.equals(learned) ? this : new Relations(catalog, earlier, more);
    }
}
