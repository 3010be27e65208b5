package io.understudy.plugins.gtiddomain.catalog;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The table families of the primary, from its data dictionary. A family is tied by foreign keys (whose cascades leave
 * no trace in the binary log), by the bodies of triggers and what is read by them, by a view over its tables, by a
 * sequence in a column's default, or by the MERGE engine; writes within it are dependent. A view may write although it
 * is only read, by a sequence or a stored function in its definition. Tables written by routines or events, which no
 * proxy can steer, stay in the default domain with their families. Immutable. Names are lower case {@code schema.table}
 * whatever the server's {@code lower_case_table_names}: treating two tables as one is safe.
 */
public final class Catalog {
    /** The empty catalogue: no table may leave the default domain. */
    public static final Catalog EMPTY = new Builder().build();

    private final Map<String, String> families;
    private final Set<String> movable;
    private final Set<String> tables;
    private final Set<String> views;
    private final Set<String> writingRoutines;
    private final Set<String> writingViews;
    private final Set<String> routines;
    private final Set<String> callingViews;
    private final Map<String, Set<String>> readThrough;
    private final boolean routinesKnown;
    private final boolean cut;
    private final Set<String> unseen;
    private final int hidden;
    private final int dynamic;

    private Catalog(Map<String, String> families, Set<String> movable, Set<String> tables, Builder built) {
        this.families = families;
        writingRoutines = Set.copyOf(built.writingRoutines);
        writingViews = Set.copyOf(built.writingViews);
        views = Set.copyOf(built.views);
        routines = Set.copyOf(built.routines);
        readThrough = built.readThrough();
        callingViews = built.callingViews(readThrough);
        routinesKnown = built.routinesKnown && !built.cut;
        cut = built.cut;
        this.movable = movable;
        this.tables = tables;
        unseen = Set.copyOf(built.unseen);
        hidden = built.hidden;
        dynamic = built.dynamic;
    }

    /** Returns the family's name, under which a table's writes are followed. */
    public String family(String table) {
        return families.getOrDefault(table, table);
    }

    /** Returns whether a family consists of known tables that only statements write, so that it may be steered. */
    boolean movable(String family) {
        return movable.contains(family);
    }

    /** Returns the number of families that may be steered. */
    public int size() {
        return movable.size();
    }

    /** Returns whether the catalogue contains all stored routines of the server. */
    boolean routinesKnown() {
        return routinesKnown;
    }

    /**
     * Returns whether a function is a stored one that may write, by itself or through another one. With sql_mode ORACLE
     * the name before the dot may be that of a package in any schema.
     *
     * @param function with its schema or package
     */
    public boolean mayWrite(String function) {
        String lower = function.toLowerCase(Locale.ROOT);
        return writingRoutines.contains(lower + Builder.ROUTINE) || writingRoutines.contains(packageOf(lower));
    }

    private static String packageOf(String function) {
        return function.substring(0, Math.max(0, function.indexOf('.'))) + Builder.PACKAGE;
    }

    /**
     * Returns whether a function is a stored one, also if it only reads.
     *
     * @param function with its schema or package
     */
    boolean isRoutine(String function) {
        String lower = function.toLowerCase(Locale.ROOT);
        return routines.contains(lower + Builder.ROUTINE) || routines.contains(packageOf(lower));
    }

    /** Returns whether any view calls a stored function. */
    boolean hasCallingViews() {
        return !callingViews.isEmpty();
    }

    /** Returns whether a name is that of a view that calls a stored function, itself or by a view in it. */
    boolean callsWhenRead(String name) {
        return callingViews.contains(name);
    }

    /** Returns the tables that are read with a view, also by its functions, in any depth; none for a table. */
    public Set<String> readThrough(String view) {
        return readThrough.getOrDefault(view, Set.of());
    }

    /**
     * Returns the tables that a stored function which only reads does read, in any depth.
     *
     * @param function with its schema or package
     */
    public Set<String> readByCall(String function) {
        String lower = function.toLowerCase(Locale.ROOT);
        Set<String> read = readThrough(lower + Builder.ROUTINE);
        return read.isEmpty() ? readThrough(packageOf(lower)) : read;
    }

    /** Returns whether a read of any view may write. */
    boolean hasWritingViews() {
        return !writingViews.isEmpty();
    }

    /** Returns whether a name is that of a base table. */
    public boolean isBaseTable(String name) {
        return tables.contains(name) && !views.contains(name);
    }

    /**
     * Returns whether a name is that of a view whose definition calls a sequence or a stored function that writes, or
     * is unknown.
     */
    boolean writesWhenRead(String name) {
        return writingViews.contains(name);
    }

    /** Returns whether the dictionary was too large to be read whole, so that no table may leave the default domain. */
    public boolean cut() {
        return cut;
    }

    /** Returns the known tables and views of all families. */
    public Set<String> tables() {
        return tables;
    }

    /** Returns the schemas with tables whose triggers or events the account does not see. */
    public Set<String> unseenSchemas() {
        return unseen;
    }

    /** Returns the number of routines, events, triggers and views whose text the account may not see. */
    public int hidden() {
        return hidden;
    }

    /** Returns the number of routines, events and triggers that build statements at run time. */
    public int dynamic() {
        return dynamic;
    }

    public static String name(String schema, String table) {
        return (schema + "." + table).toLowerCase(Locale.ROOT);
    }

    /** Collects the dictionary's rows; code must follow all tables and routines. */
    public static final class Builder {
        /** In the definition of a view, the name of a stored function is quoted and that of a built-in one is not. */
        private static final String STORED_CALL = "`(";

        /** Behind the name of a routine, and behind that of a package. */
        private static final String ROUTINE = "()";

        private static final String PACKAGE = ".()";

        private final Set<String> plain = new HashSet<>();
        private final Set<String> views = new HashSet<>();
        private final Set<String> routines = new HashSet<>();
        /** The names of packages, by their nodes. */
        private final Map<String, String> packages = new HashMap<>();

        private final Set<String> odd = new HashSet<>();
        private final Map<String, String> parents = new HashMap<>();
        private final Set<String> writingRoutines = new HashSet<>();
        /** Views, and routines that only read: by name, since functions and procedures may have the same one. */
        private final Map<String, Mentions> definitions = new HashMap<>();
        /** Views that call stored functions. */
        private final Set<String> calling = new HashSet<>();

        /** Names that were tied to another one. */
        private final Set<String> tied = new HashSet<>();

        private final Set<String> indirect = new HashSet<>();
        private final Set<String> writingViews = new HashSet<>();
        private final Set<String> unseen = new TreeSet<>();
        private boolean routinesKnown;
        private boolean cut;
        private int hidden;
        private int dynamic;

        /** Records that the account sees every routine. */
        public void routinesKnown() {
            routinesKnown = true;
        }

        /** Records that rows were left unread: the objects in them may write any table. */
        public void cut() {
            cut = true;
        }

        public void table(String name, boolean baseTable) {
            (baseTable ? plain : views).add(name);
        }

        /** Records that triggers or events which the account does not see may write a table. */
        void unseenCode(String schema, String table) {
            unseen.add(schema);
            odd.add(name(schema, table));
        }

        /** Adds a view's definition; null or empty if the account may not see it. */
        public void view(String schema, String name, @Nullable String definition, boolean updatable) {
            String view = name(schema, name);
            if (definition == null || definition.isBlank()) {
                hidden++;
                odd.add(view);
                writingViews.add(view);
                return;
            }
            Mentions mentions = Mentions.of(schema, definition);
            define(view, mentions);
            if (definition.contains(STORED_CALL)) {
                calling.add(view);
            }
            if (updatable) {
                mentioned(view, mentions);
            }
        }

        /** Adds the default of a table's column: an INSERT writes the sequence that it calls. */
        void columnDefault(String schema, String table, @Nullable String expression) {
            Mentions mentions = expression == null ? null : Mentions.of(schema, expression);
            if (mentions != null && (mentions.advances() || mentionsRoutine(mentions))) {
                mentioned(name(schema, table), mentions);
            }
        }

        /** Adds the definition of a table of the MERGE engine; null if the account may not see it. */
        public void merge(String schema, String table, @Nullable String definition) {
            if (definition == null) {
                hidden++;
                odd.add(name(schema, table));
            } else {
                mentioned(name(schema, table), Mentions.of(schema, definition));
            }
        }

        /** Adds a trigger of a table. */
        void trigger(String schema, String table, @Nullable String body) {
            String on = name(schema, table);
            if (body == null || body.isBlank()) {
                hidden++;
                odd.add(on);
                return;
            }
            Mentions mentions = Mentions.of(schema, body);
            if (mentions.dynamic()) {
                dynamic++;
                odd.add(on);
            }
            if (mentions.calls() && !routinesKnown) {
                hidden++;
                odd.add(on); // the routine may be one that the account does not see
            }
            mentioned(on, mentions);
        }

        /** Adds a routine, before any code is added. */
        public void routine(String schema, String name) {
            routines.add(routineName(schema, name));
        }

        /** Adds a routine's body. A CALL stays in the default domain, and so must the tables that it writes. */
        public void routineBody(String schema, String name, @Nullable String body) {
            String node = routineName(schema, name);
            code(node, schema, body);
            Mentions mentions = body == null || body.isBlank() ? null : Mentions.of(schema, body);
            if (mentions == null || mentions.writes() || mentionsRoutine(mentions)) {
                writingRoutines.add(node);
            }
        }

        private boolean mentionsRoutine(Mentions mentions) {
            return mentions.names().stream().anyMatch(name -> routines.contains(name + ROUTINE));
        }

        /** Adds a package, whose functions are called by its name. It is a routine too. */
        void storedPackage(String schema, String name) {
            packages.put(routineName(schema, name), name.toLowerCase(Locale.ROOT) + PACKAGE);
            routines.add(name.toLowerCase(Locale.ROOT) + PACKAGE);
        }

        /** Adds an event's body; the server runs it by itself, in the default domain. */
        void event(String schema, String name, @Nullable String body) {
            code(name(schema, name) + " event", schema, body);
        }

        private void code(String node, String schema, @Nullable String body) {
            if (body == null || body.isBlank()) {
                hidden++;
                odd.add(node);
                return;
            }
            Mentions mentions = Mentions.of(schema, body);
            dynamic += mentions.dynamic() ? 1 : 0;
            if (mentions.writes()) {
                odd.add(node);
                mentioned(node, mentions);
            } else {
                define(node, mentions);
            }
        }

        private void define(String node, Mentions mentions) {
            definitions.merge(node, mentions, Mentions::and);
        }

        private void mentioned(String node, Mentions mentions) {
            for (String name : mentions.names()) {
                if (isTableOrView(name)) {
                    tie(node, name);
                }
                if (routines.contains(name + ROUTINE)) {
                    tie(node, name + ROUTINE);
                }
            }
        }

        public void foreignKey(String child, String parent) {
            tie(child, parent);
        }

        private void tie(String one, String other) {
            if (!one.equals(other)) {
                tied.add(one);
                tied.add(other);
            }
            String a = root(one);
            String b = root(other);
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

        private static String routineName(String schema, String name) {
            return name(schema, name) + ROUTINE;
        }

        /** Finds the views that write when they are read, and the code that reads these, in any depth. */
        private void findIndirectWriters() {
            boolean more = true;
            while (more) {
                more = false;
                for (Map.Entry<String, Mentions> entry : definitions.entrySet()) {
                    String node = entry.getKey();
                    if (!indirect.contains(node) && mentionsWriter(node, entry.getValue())) {
                        indirect.add(node);
                        if (views.contains(node)) {
                            writingViews.add(node);
                        } else {
                            writingRoutines.add(node);
                            odd.add(node);
                        }
                        mentioned(node, entry.getValue());
                        more = true;
                    }
                }
            }
        }

        private boolean mentionsWriter(String node, Mentions mentions) {
            return mentions.advances()
                    || calling.contains(node) && !routinesKnown
                    || mentions.names().stream()
                            .anyMatch(name -> writingRoutines.contains(name + ROUTINE) || writingViews.contains(name));
        }

        /**
         * Ties what views and routines read that a trigger, or other code that is tied to tables, uses, in any depth: a
         * replica executes them too, unless the log has rows.
         */
        private void tieWhatTiedCodeReads() {
            Set<String> done = new HashSet<>();
            boolean more = true;
            while (more) {
                more = false;
                for (Map.Entry<String, Mentions> entry : definitions.entrySet()) {
                    if (tied.contains(entry.getKey()) && done.add(entry.getKey())) {
                        mentioned(entry.getKey(), entry.getValue());
                        more = true;
                    }
                }
            }
        }

        private boolean isTableOrView(String name) {
            return plain.contains(name) || views.contains(name);
        }

        private Map<String, Set<String>> readThrough() {
            Map<String, Set<String>> all = new HashMap<>();
            for (String node : definitions.keySet()) {
                Set<String> read = new HashSet<>();
                addRead(node, read);
                read.removeIf(name -> !isTableOrView(name));
                if (!read.isEmpty()) {
                    all.put(node, Set.copyOf(read));
                }
            }
            packages.forEach((node, name) ->
                    all.computeIfAbsent(name, key -> new HashSet<>()).addAll(all.getOrDefault(node, Set.of())));
            return Map.copyOf(all);
        }

        private void addRead(String node, Set<String> read) {
            Mentions mentions = definitions.get(node);
            for (String name : mentions == null ? Set.<String>of() : mentions.names()) {
                if (isTableOrView(name) && read.add(name)) {
                    addRead(name, read);
                }
                String routine = name + ROUTINE;
                if (routines.contains(routine) && read.add(routine)) {
                    addRead(routine, read);
                }
            }
        }

        private Set<String> callingViews(Map<String, Set<String>> readThrough) {
            Set<String> all = new HashSet<>(calling);
            readThrough.forEach((node, read) -> {
                if (read.stream().anyMatch(calling::contains)) {
                    all.add(node);
                }
            });
            return Set.copyOf(all);
        }

        public Catalog build() {
            findIndirectWriters();
            tieWhatTiedCodeReads();
            packages.forEach((node, name) -> {
                if (writingRoutines.contains(node)) {
                    writingRoutines.add(name);
                }
            });
            Map<String, String> families = new HashMap<>();
            for (String member : parents.keySet()) {
                families.put(member, root(member));
            }
            Set<String> movable = new HashSet<>();
            if (!cut) {
                for (String table : plain) {
                    movable.add(families.getOrDefault(table, table));
                }
            }
            for (String name : odd) {
                movable.remove(families.getOrDefault(name, name));
            }
            Set<String> tables = new HashSet<>(plain);
            tables.addAll(views);
            return new Catalog(Map.copyOf(families), Set.copyOf(movable), Set.copyOf(tables), this);
        }
    }
}
