package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What the primary's data dictionary says about which tables depend on each other: foreign keys make families, whose
 * writes are dependent; views and tables with triggers stand for writes to other tables. Immutable. Names are lower case
 * {@code schema.table} whatever the server's {@code lower_case_table_names}: taking two tables for one is safe.
 */
final class Catalog {
    /** Of which nothing is known: no table may leave the default domain. */
    static final Catalog EMPTY = new Builder().build();

    private final Map<String, String> families;
    private final Set<String> movable;

    private Catalog(Map<String, String> families, Set<String> movable) {
        this.families = families;
        this.movable = movable;
    }

    /** The name under which a table's writes are followed. */
    String family(String table) {
        return families.getOrDefault(table, table);
    }

    /** Whether a family consists of plain tables that are known, so that its writes are what they seem. */
    boolean movable(String family) {
        return movable.contains(family);
    }

    int size() {
        return movable.size();
    }

    static String name(String schema, String table) {
        return (schema + "." + table).toLowerCase(Locale.ROOT);
    }

    /** Collects what was read. */
    static final class Builder {
        private final Set<String> plain = new HashSet<>();
        private final Set<String> odd = new HashSet<>();
        private final Map<String, String> parents = new HashMap<>();

        void table(String name, boolean baseTable) {
            (baseTable ? plain : odd).add(name);
        }

        void trigger(String table) {
            odd.add(table);
        }

        void foreignKey(String child, String parent) {
            String a = root(child);
            String b = root(parent);
            if (!a.equals(b)) {
                // The smaller name leads, so that a family keeps its name from one reading to the next.
                parents.put(a.compareTo(b) < 0 ? b : a, a.compareTo(b) < 0 ? a : b);
            }
        }

        private String root(String table) {
            String at = table;
            for (String up = parents.get(at); up != null; up = parents.get(at)) {
                at = up;
            }
            return at;
        }

        Catalog build() {
            Map<String, String> families = new HashMap<>();
            List<String> members = new ArrayList<>(parents.keySet());
            for (String member : members) {
                families.put(member, root(member));
            }
            Set<String> movable = new HashSet<>();
            for (String table : plain) {
                movable.add(families.getOrDefault(table, table));
            }
            for (String table : odd) {
                movable.remove(families.getOrDefault(table, table));
            }
            return new Catalog(Map.copyOf(families), Set.copyOf(movable));
        }
    }
}
