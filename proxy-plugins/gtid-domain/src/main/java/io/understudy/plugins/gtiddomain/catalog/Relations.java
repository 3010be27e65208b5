package io.understudy.plugins.gtiddomain.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The names under which a table's writes are followed: its family; the families that earlier catalogues had it in, as
 * long as they have unapplied writes; and tables that the binary log has shown to be written with it, or that one
 * statement has named together with it. Immutable.
 *
 * @param catalog the last one read
 * @param earlier earlier names by family: writes under these may depend on present ones
 * @param learned other names by family, from statements over several tables and from the binary log
 */
public record Relations(Catalog catalog, Map<String, Set<String>> earlier, Map<String, Set<String>> learned) {
    public static final Relations NONE = new Relations(Catalog.EMPTY, Map.of(), Map.of());

    private static final int MAX_LEARNED = 1_000;
    private static final int MAX_PER_TABLE = 16;

    public Relations {
        earlier = Map.copyOf(earlier);
        learned = Map.copyOf(learned);
    }

    /** Adds all names of a table's writes; {@code table} is lower case {@code schema.table}. */
    public void addNames(String table, Set<String> names) {
        String family = catalog.family(table);
        names.add(family);
        names.addAll(earlier.getOrDefault(family, Set.of()));
        names.addAll(learned.getOrDefault(family, Set.of()));
    }

    /** Returns the relations with a newer catalogue, in which tables may have changed families. */
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

    /** Returns the relations without earlier names that have no unapplied writes. */
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

    /** Returns the relations with tables that are written together; beyond a bound nothing more is learned. */
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
