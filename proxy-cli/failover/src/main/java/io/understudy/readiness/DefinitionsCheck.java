package io.understudy.readiness;

import io.understudy.pages.TableOrPartition;
import io.understudy.readiness.DefinitionsReader.Definitions;
import io.understudy.sql.Quoting;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Compares what is defined on both servers: by name, and by shape where both have it. */
final class DefinitionsCheck {
    private static final int SHOWN = 20;
    private static final String LACKS = "what needs it fails, or behaves differently, after the promotion";

    /** The source side of semi-sync is another check's; a clone leaves its plugin on the server that it filled. */
    private static final Set<String> LEFT_OUT = Set.of(
            "rpl_semi_sync_master",
            "rpl_semi_sync_slave",
            "rpl_semi_sync_source",
            "rpl_semi_sync_replica",
            "clone",
            "DISKS");

    private static final Set<DefinitionKind> DROPPABLE = EnumSet.of(
            DefinitionKind.TABLE,
            DefinitionKind.VIEW,
            DefinitionKind.TRIGGER,
            DefinitionKind.ROUTINE,
            DefinitionKind.EVENT);

    /** Plugins that no statement and no login needs. */
    private static final Set<String> BYSTANDERS = Set.of("AUDIT", "DAEMON", "INFORMATION SCHEMA", "REPLICATION");

    private DefinitionsCheck() {}

    static void find(Findings found) {
        found.compare(ServerFacts.DEFINITIONS, "definitions", LACKS, (here, there) -> compare(here, there, found));
    }

    private static void compare(Definitions here, Definitions there, Findings found) {
        if (here.bySchema() != there.bySchema()) {
            found.blocks(
                    "tables",
                    "the " + (here.bySchema() ? "standby" : "primary") + " alone has more than "
                            + DefinitionsReader.MOST + " tables",
                    LACKS,
                    "compare information_schema.TABLES of both");
            return;
        }
        unread(here, there, found);
        boolean sameSeries = found.standby().series().equals(found.primary().series());
        for (DefinitionKind kind : DefinitionKind.values()) {
            Map<String, String> one = here.of(kind).value();
            Map<String, String> other = there.of(kind).value();
            if (one != null && other != null) {
                Findings ofKind = new Findings(found.check(), found.round(), found.situation(), new ArrayList<>());
                new Comparison(kind, ofKind, here.bySchema(), sameSeries).of(one, other, here, there);
                found.all().addAll(ofKind.all());
            }
        }
    }

    /** Adds a finding for each reason, with the kinds that it hides. */
    private static void unread(Definitions here, Definitions there, Findings found) {
        Map<Known<?>, List<String>> kinds = new LinkedHashMap<>();
        for (DefinitionKind kind : DefinitionKind.values()) {
            Known<?> unread = here.of(kind).value() == null ? here.of(kind) : there.of(kind);
            if (unread.value() == null) {
                kinds.computeIfAbsent(unread, reason -> new ArrayList<>()).add(kind.word());
            }
        }
        kinds.forEach((unread, names) -> found.unread(
                names.toString(), "definitions " + names, here.shapes().containsValue(unread), unread, LACKS));
    }

    /** One kind on both servers. */
    private record Comparison(DefinitionKind kind, Findings found, boolean bySchema, boolean sameSeries) {
        void of(Map<String, String> here, Map<String, String> there, Definitions all, Definitions allThere) {
            TreeSet<String> names = new TreeSet<>(here.keySet());
            names.addAll(there.keySet());
            if (kind == DefinitionKind.PLUGIN) {
                names.removeAll(LEFT_OUT);
            }
            for (String name : names) {
                String one = here.getOrDefault(name, "");
                String other = there.getOrDefault(name, "");
                if (kind.isOfTable()) {
                    if (isOnBoth(name, all, allThere) && !one.equals(other)) {
                        differs(name, one, other);
                    }
                } else if (!there.containsKey(name)) {
                    more(name, one);
                } else if (!here.containsKey(name)) {
                    missing(name, other);
                } else if (!one.equals(other)) {
                    differs(name, one, other);
                }
            }
            List<Finding> beyond = found.keep(SHOWN);
            if (!beyond.isEmpty()) {
                found.add(
                        "beyond " + kind,
                        beyond.get(0).severity(),
                        beyond.size() + " more differences of this kind: " + kind.words() + " …",
                        LACKS,
                        "");
            }
        }

        /** A table that one server lacks is one finding, without its parts. */
        private static boolean isOnBoth(String name, Definitions all, Definitions allThere) {
            Map<String, String> tables = all.of(DefinitionKind.TABLE).value();
            Map<String, String> others = allThere.of(DefinitionKind.TABLE).value();
            return tables != null && others != null && tables.containsKey(name) && others.containsKey(name);
        }

        private void missing(String name, String shape) {
            boolean bystander = kind == DefinitionKind.PLUGIN && BYSTANDERS.contains(shape);
            add(
                    bystander ? Severity.WARNS : Severity.BLOCKS,
                    "missing",
                    name,
                    "only the primary has " + words(name),
                    LACKS,
                    "on the primary: " + kind.show(quoted(name)) + ";" + mend());
        }

        private void more(String name, String shape) {
            add(
                    kind.more(),
                    "more",
                    name,
                    "only the standby has " + words(name),
                    "it was not created by replication; after the promotion the application has it",
                    !bySchema && DROPPABLE.contains(kind)
                            ? "on the standby, if nobody needs it: "
                                    + unlogged("DROP " + (shape.startsWith("SEQUENCE") ? "SEQUENCE" : word(name)) + " "
                                            + quoted(bare(name)))
                            : "compare on both: " + kind.show(quoted(name)));
        }

        private void differs(String name, String here, String there) {
            boolean told = (kind == DefinitionKind.TABLE || kind == DefinitionKind.SEQUENCES) && !bySchema
                    || kind == DefinitionKind.SCHEMA
                    || kind == DefinitionKind.TIME_ZONES;
            add(
                    sameSeries ? Severity.BLOCKS : Severity.WARNS,
                    "differs",
                    name,
                    words(name)
                            + (kind.isOfTable() || kind == DefinitionKind.TABLE && bySchema ? " differ" : " differs")
                            + (told ? ": '" + here + "' on the standby and '" + there + "' on the primary" : "")
                            + (sameSeries ? "" : ", perhaps by their versions alone"),
                    "the same statement may fail, or store or return other values, after the promotion",
                    "compare on both: " + kind.show(quoted(name)) + ";" + mend());
        }

        private void add(Severity severity, String how, String name, String what, String why, String statement) {
            found.add(how + " " + kind.word() + " " + name, severity, what, why, statement);
        }

        private String words(String name) {
            return switch (kind) {
                case ROUTINE -> "the " + type(name).toLowerCase(Locale.ROOT) + " " + bare(name);
                case SEQUENCES -> (bySchema ? "the settings of the sequences of " : kind.words() + " ") + name;
                case TABLE -> (bySchema ? "the tables of " : "the table ") + name;
                default -> kind.words() + (bySchema && kind.isOfTable() ? " some table of " : " ") + name;
            };
        }

        private String mend() {
            return switch (kind) {
                case PLUGIN, COMPONENT, LOADABLE_FUNCTION ->
                    " install it on the standby: "
                            + switch (kind) {
                                case PLUGIN ->
                                    found.standby().isMariaDb()
                                            ? "INSTALL SONAME '…'"
                                            : "INSTALL PLUGIN … SONAME '…', or plugin-load-add in its option file";
                                case COMPONENT -> unlogged("INSTALL COMPONENT '…'");
                                default -> unlogged("CREATE FUNCTION … SONAME '…'");
                            };
                case TIME_ZONES ->
                    " fill them on the standby: "
                            + unlogged((found.standby().isMariaDb() ? "mariadb-tzinfo-to-sql" : "mysql_tzinfo_to_sql")
                                    + " /usr/share/zoneinfo, into the schema mysql");
                default -> " make the standby's like the primary's (" + unlogged("…") + "), or build the standby anew";
            };
        }

        private String unlogged(String statements) {
            return found.standby().unlogged(statements);
        }

        private String word(String name) {
            return kind == DefinitionKind.ROUTINE ? type(name) : kind.name();
        }

        /** The name of a routine is {@code shop.PROCEDURE pay}, as a procedure and a function may share one. */
        private static String type(String name) {
            TableOrPartition parts = TableOrPartition.written(name);
            String object = parts == null ? name : parts.table();
            return object.contains(" ") ? object.substring(0, object.indexOf(' ')) : "";
        }

        private String bare(String name) {
            TableOrPartition parts = kind == DefinitionKind.ROUTINE ? TableOrPartition.written(name) : null;
            return parts == null
                    ? name
                    : new TableOrPartition(
                                    parts.schema(),
                                    parts.table().substring(parts.table().indexOf(' ') + 1),
                                    "")
                            .written();
        }

        private String quoted(String name) {
            TableOrPartition parts = kind.isQualified() ? TableOrPartition.written(bare(name)) : null;
            String quoted = parts == null
                    ? kind == DefinitionKind.SCHEMA || kind == DefinitionKind.SERVER ? Quoting.name(name) : name
                    : Quoting.name(parts.schema(), parts.table());
            return name.equals(bare(name)) ? quoted : type(name) + " " + quoted;
        }
    }
}
