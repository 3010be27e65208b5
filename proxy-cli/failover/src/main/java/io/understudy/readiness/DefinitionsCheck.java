package io.understudy.readiness;

import io.understudy.pages.TableOrPartition;
import io.understudy.sql.Quoting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Compares what is defined on both servers: by name, and by shape where both have it. */
final class DefinitionsCheck implements Check.OfRound {
    private static final Findings FOUND = new Findings("definitions");
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

    /** Plugins that no statement and no login needs. */
    private static final Set<String> BYSTANDERS = Set.of("AUDIT", "DAEMON", "INFORMATION SCHEMA", "REPLICATION");

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        ServerFacts standby = round.standby();
        ServerFacts primary = round.primary();
        if (!standby.responded() || !primary.responded() || standby.isMariaDb() != primary.isMariaDb()) {
            return List.of();
        }
        Definitions here = standby.get(ServerFacts.DEFINITIONS).value();
        Definitions there = primary.get(ServerFacts.DEFINITIONS).value();
        if (here == null || there == null) {
            Known<?> unread =
                    here == null ? standby.get(ServerFacts.DEFINITIONS) : primary.get(ServerFacts.DEFINITIONS);
            return List.of(unread("privilege", "definitions", here == null, unread));
        }
        if (here.bySchema() != there.bySchema()) {
            return List.of(FOUND.blocks(
                    "tables",
                    "the " + (here.bySchema() ? "standby" : "primary") + " alone has more than "
                            + DefinitionsReader.MOST + " tables",
                    LACKS,
                    "compare information_schema.TABLES of both"));
        }
        List<Finding> findings = new ArrayList<>(unread(here, there));
        boolean sameSeries = standby.series().equals(primary.series());
        for (DefinitionKind kind : DefinitionKind.values()) {
            Map<String, String> one = here.of(kind).value();
            Map<String, String> other = there.of(kind).value();
            if (one != null && other != null) {
                findings.addAll(new Comparison(kind, standby, here.bySchema(), sameSeries).of(one, other, here, there));
            }
        }
        return findings;
    }

    /** Returns a finding for each reason, with the kinds that it hides. */
    private static List<Finding> unread(Definitions here, Definitions there) {
        Map<Known<?>, List<String>> kinds = new LinkedHashMap<>();
        for (DefinitionKind kind : DefinitionKind.values()) {
            Known<?> unread = here.of(kind).value() == null ? here.of(kind) : there.of(kind);
            if (unread.value() == null) {
                kinds.computeIfAbsent(unread, reason -> new ArrayList<>())
                        .add(kind.name().toLowerCase(Locale.ROOT).replace('_', ' '));
            }
        }
        List<Finding> findings = new ArrayList<>();
        kinds.forEach((unread, names) ->
                findings.add(unread(names.toString(), "definitions " + names, isOf(here, unread), unread)));
        return findings;
    }

    private static boolean isOf(Definitions server, Known<?> unread) {
        return server.shapes().containsValue(unread);
    }

    private static Finding unread(String subject, String what, boolean ofStandby, Known<?> unread) {
        return FOUND.unread(subject, what, ofStandby, unread, LACKS);
    }

    /** One kind on both servers. */
    private record Comparison(DefinitionKind kind, ServerFacts standby, boolean bySchema, boolean sameSeries) {
        List<Finding> of(Map<String, String> here, Map<String, String> there, Definitions all, Definitions allThere) {
            List<Finding> findings = new ArrayList<>();
            TreeSet<String> names = new TreeSet<>(here.keySet());
            names.addAll(there.keySet());
            int beyond = 0;
            for (String name : names) {
                String one = here.getOrDefault(name, "");
                String other = there.getOrDefault(name, "");
                Finding finding = kind.isOfTable()
                        ? isOnBoth(name, all, allThere) && !one.equals(other) ? differs(name, one, other) : null
                        : !there.containsKey(name)
                                ? more(name, one)
                                : !here.containsKey(name)
                                        ? missing(name, other)
                                        : one.equals(other) ? null : differs(name, one, other);
                if (finding != null && findings.size() < SHOWN) {
                    findings.add(finding);
                } else if (finding != null) {
                    beyond++;
                }
            }
            if (beyond > 0) {
                findings.add(FOUND.of(
                        "beyond " + kind,
                        kind.missing(),
                        true,
                        beyond + " more differences of this kind: " + kind.words() + " …",
                        LACKS,
                        ""));
            }
            return findings;
        }

        /** A table that one server lacks is one finding, without its parts. */
        private static boolean isOnBoth(String name, Definitions all, Definitions allThere) {
            Map<String, String> tables = all.of(DefinitionKind.TABLE).value();
            Map<String, String> others = allThere.of(DefinitionKind.TABLE).value();
            return tables != null && others != null && tables.containsKey(name) && others.containsKey(name);
        }

        private @Nullable Finding missing(String name, String shape) {
            if (kind == DefinitionKind.PLUGIN && LEFT_OUT.contains(name)) {
                return null;
            }
            Severity severity = isBystander(shape) ? Severity.WARNS : kind.missing();
            return finding(
                    severity,
                    "missing",
                    name,
                    "only the primary has " + words(name),
                    LACKS,
                    "on the primary: " + kind.show(quoted(name)) + ";" + mend());
        }

        private @Nullable Finding more(String name, String shape) {
            if (kind == DefinitionKind.PLUGIN && LEFT_OUT.contains(name)) {
                return null;
            }
            return finding(
                    kind.more(),
                    "more",
                    name,
                    "only the standby has " + words(name),
                    "it was not created by replication; after the promotion the application has it",
                    isDroppable()
                            ? "on the standby, if nobody needs it: " + writable() + "DROP "
                                    + (shape.startsWith("SEQUENCE") ? "SEQUENCE" : word(name)) + " "
                                    + quoted(bare(name))
                            : "compare on both: " + kind.show(quoted(name)));
        }

        private Finding differs(String name, String here, String there) {
            boolean told = (kind == DefinitionKind.TABLE || kind == DefinitionKind.SEQUENCES) && !bySchema
                    || kind == DefinitionKind.SCHEMA
                    || kind == DefinitionKind.TIME_ZONES;
            return finding(
                    sameSeries ? kind.missing() : Severity.WARNS,
                    "differs",
                    name,
                    words(name)
                            + (kind.isOfTable() || kind == DefinitionKind.TABLE && bySchema ? " differ" : " differs")
                            + (told ? ": '" + here + "' on the standby and '" + there + "' on the primary" : "")
                            + (sameSeries ? "" : ", perhaps by their versions alone"),
                    "the same statement may fail, or store or return other values, after the promotion",
                    "compare on both: " + kind.show(quoted(name)) + ";" + mend());
        }

        private Finding finding(Severity severity, String how, String name, String what, String why, String statement) {
            String word = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            return FOUND.of(how + " " + word + " " + name, severity, severity == Severity.BLOCKS, what, why, statement);
        }

        private boolean isBystander(String type) {
            return kind == DefinitionKind.PLUGIN && BYSTANDERS.contains(type);
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
                                    standby.isMariaDb()
                                            ? "INSTALL SONAME '…'"
                                            : "INSTALL PLUGIN … SONAME '…', or plugin-load-add in its option file";
                                case COMPONENT -> writable() + "INSTALL COMPONENT '…'";
                                default -> writable() + "CREATE FUNCTION … SONAME '…'";
                            };
                case TIME_ZONES ->
                    " fill them on the standby: " + writable()
                            + (standby.isMariaDb() ? "mariadb-tzinfo-to-sql" : "mysql_tzinfo_to_sql")
                            + " /usr/share/zoneinfo, into the schema mysql";
                default ->
                    " make the standby's like the primary's (" + writable().strip() + " …), or build the standby anew";
            };
        }

        /** What lets an administrator write there, without the binary log. */
        private String writable() {
            return (standby.isMariaDb() ? "" : "SET GLOBAL super_read_only = 0; ") + "SET SESSION sql_log_bin = 0; ";
        }

        private boolean isDroppable() {
            return !bySchema
                    && switch (kind) {
                        case TABLE, VIEW, TRIGGER, ROUTINE, EVENT -> true;
                        default -> false;
                    };
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
