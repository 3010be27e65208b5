package io.understudy.readiness;

import io.understudy.pages.TableOrPartition;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Reads the shapes of all definitions: a fixed number of queries, whose results the server aggregates. So a table costs
 * a hash for each of its parts, however many columns it has; of servers with more than {@link #MOST} tables, a schema
 * does.
 */
final class DefinitionsReader {
    static final int MOST = 10_000;

    private static final String OF_USERS = " NOT IN ('mysql','information_schema','performance_schema','sys')";

    private final int most;
    private final ServerSession session;
    private final boolean mariaDb;
    private final String version;
    private final UnaryOperator<String> grant;
    private final EnumMap<DefinitionKind, Known<Map<String, String>>> shapes = new EnumMap<>(DefinitionKind.class);
    private final Map<String, String> names = new HashMap<>();
    private final Set<String> privileges = new HashSet<>();
    private final Set<DefinitionKind> hidden = EnumSet.noneOf(DefinitionKind.class);
    private final Set<String> lacking = new TreeSet<>();

    /**
     * @param grant returns the statement that grants the account a privilege on everything
     * @param most the number of tables up to which each has shapes of its own
     */
    DefinitionsReader(ServerSession session, ServerFacts facts, UnaryOperator<String> grant, int most) {
        this.most = most;
        this.session = session;
        this.mariaDb = facts.isMariaDb();
        this.version = facts.variable("version");
        this.grant = grant;
    }

    /**
     * Reads all kinds, and leaves those unknown that the account may not see in full.
     *
     * @throws SQLException when the connection fails or the time is up
     */
    Definitions read() throws SQLException {
        privileges.addAll(session.queries().ownPrivileges());
        boolean bySchema = count() > most;
        schemas();
        tables(bySchema ? "''" : "TABLE_NAME", bySchema);
        programs();
        installed();
        hide();
        return new Definitions(shapes, bySchema);
    }

    /** MariaDB lists the folders; no table is opened. */
    private long count() throws SQLException {
        return session.queries().number("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA" + OF_USERS);
    }

    private void schemas() throws SQLException {
        read(
                DefinitionKind.SCHEMA,
                "SELECT SCHEMA_NAME AS s, '' AS n, CONCAT_WS(' ', DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME"
                        + (mariaDb ? "" : ", IF(DEFAULT_ENCRYPTION = 'YES', 'encrypted', NULL)")
                        + ") AS v FROM information_schema.SCHEMATA WHERE SCHEMA_NAME" + OF_USERS,
                "SELECT",
                "REFERENCES",
                "SHOW DATABASES");
    }

    private void tables(String name, boolean bySchema) throws SQLException {
        String words = "CONCAT_WS(' ', IF(TABLE_TYPE = 'BASE TABLE', NULL, TABLE_TYPE), ENGINE, TABLE_COLLATION,"
                + " NULLIF(CREATE_OPTIONS, ''))";
        String where = " WHERE TABLE_SCHEMA" + OF_USERS;
        read(
                DefinitionKind.TABLE,
                "SELECT TABLE_SCHEMA AS s, " + name + " AS n, "
                        + (bySchema
                                ? "CONCAT(COUNT(*), ' tables ', " + shape("TABLE_NAME, " + words) + ")"
                                : "MIN(" + words + ")")
                        + " AS v FROM information_schema.TABLES" + where
                        + " AND TABLE_TYPE NOT LIKE '%VIEW' GROUP BY s, n",
                "SELECT",
                "REFERENCES");
        part(
                DefinitionKind.COLUMNS,
                name,
                "COLUMNS" + where,
                "COLUMN_NAME, ORDINAL_POSITION, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT,"
                        + " COLLATION_NAME, EXTRA, GENERATION_EXPRESSION");
        part(
                DefinitionKind.INDEXES,
                name,
                "STATISTICS" + where,
                "INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, NON_UNIQUE, SUB_PART, COLLATION, INDEX_TYPE, "
                        + (mariaDb ? hasIgnored() ? "IGNORED" : "''" : "CONCAT_WS(',', IS_VISIBLE, EXPRESSION)"));
        part(
                DefinitionKind.FOREIGN_KEYS,
                name,
                "(SELECT CONSTRAINT_SCHEMA AS TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME AS a, UPDATE_RULE AS b,"
                        + " DELETE_RULE AS c, '' AS d FROM information_schema.REFERENTIAL_CONSTRAINTS"
                        + " WHERE CONSTRAINT_SCHEMA" + OF_USERS
                        + " UNION ALL SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME,"
                        + " CONCAT_WS('.', REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME),"
                        + " COLUMN_NAME, ORDINAL_POSITION FROM information_schema.KEY_COLUMN_USAGE" + where
                        + " AND REFERENCED_TABLE_NAME IS NOT NULL) AS x",
                "a, b, c, d");
        Map<String, String> read =
                shapes.getOrDefault(DefinitionKind.TABLE, Known.late()).value();
        if (!bySchema && read != null && read.values().stream().noneMatch(each -> each.contains("partitioned"))) {
            shapes.put(DefinitionKind.PARTITIONS, Known.of(Map.of())); // MariaDB would open every table for it
        } else {
            part(
                    DefinitionKind.PARTITIONS,
                    name,
                    "PARTITIONS" + where + " AND PARTITION_NAME IS NOT NULL",
                    "PARTITION_NAME, SUBPARTITION_NAME, PARTITION_METHOD, PARTITION_EXPRESSION, PARTITION_DESCRIPTION,"
                            + " SUBPARTITION_METHOD, SUBPARTITION_EXPRESSION");
        }
        sequences(bySchema);
        // Names are unique within a table on MariaDB, within a schema on MySQL.
        read(
                DefinitionKind.CHECK,
                "SELECT CONSTRAINT_SCHEMA AS s, "
                        + (mariaDb ? "CONCAT(TABLE_NAME, '.', CONSTRAINT_NAME)" : "CONSTRAINT_NAME")
                        + " AS n, " + shape("CHECK_CLAUSE") + " AS v FROM information_schema.CHECK_CONSTRAINTS"
                        + " WHERE CONSTRAINT_SCHEMA" + OF_USERS + " GROUP BY s, n",
                "SELECT",
                "REFERENCES");
    }

    /** A sequence of MariaDB is a table of one row, which replication changes; its definition is in that row, too. */
    private void sequences(boolean bySchema) throws SQLException {
        if (!mariaDb) {
            shapes.put(DefinitionKind.SEQUENCES, Known.of(Map.of()));
            return;
        }
        if (!privileges.contains("SELECT") && !privileges.contains("REFERENCES")) {
            hidden.add(DefinitionKind.SEQUENCES); // it would not see them
            lacking.add("SELECT");
            return;
        }
        List<Map<String, String>> all = session.rows("SELECT TABLE_SCHEMA AS s, TABLE_NAME AS n FROM"
                + " information_schema.TABLES WHERE TABLE_TYPE = 'SEQUENCE' AND TABLE_SCHEMA" + OF_USERS
                + " ORDER BY s, n");
        Map<String, String> read = new HashMap<>();
        try {
            for (Map<String, String> row : all) {
                String schema = row.getOrDefault("s", "");
                String sequence = row.getOrDefault("n", "");
                String definition = session.rows("SELECT CONCAT('increment ', increment, ' minimum ', minimum_value,"
                                + " ' maximum ', maximum_value, IF(cycle_option, ' cycle', '')) AS v FROM "
                                + Quoting.name(schema, sequence))
                        .get(0)
                        .getOrDefault("v", "");
                String key = name(schema, bySchema ? "" : sequence);
                read.merge(key, bySchema ? sequence + " " + definition : definition, (one, other) -> one + other);
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == 0) {
                throw e;
            }
            if (ServerQueries.denied(e)) {
                hidden.add(DefinitionKind.SEQUENCES);
                lacking.add("SELECT");
            } else { // it was dropped meanwhile, say
                shapes.put(DefinitionKind.SEQUENCES, Known.unknown(String.valueOf(e.getMessage()), ""));
            }
            return;
        }
        shapes.put(DefinitionKind.SEQUENCES, Known.of(read));
    }

    private boolean hasIgnored() {
        String[] numbers = version.split("[^0-9]+", 3);
        return numbers.length > 1 && Integer.parseInt(numbers[0]) * 100 + Integer.parseInt(numbers[1]) >= 1006;
    }

    private void part(DefinitionKind kind, String name, String from, String columns) throws SQLException {
        read(
                kind,
                "SELECT TABLE_SCHEMA AS s, " + name + " AS n, " + shape("TABLE_NAME, " + columns) + " AS v FROM "
                        + (from.startsWith("(") ? "" : "information_schema.") + from + " GROUP BY s, n",
                "SELECT",
                "REFERENCES");
    }

    /** Views and stored programs, each with the modes under which it was created. */
    private void programs() throws SQLException {
        String created = ", DEFINER, SQL_MODE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, DATABASE_COLLATION";
        one(
                DefinitionKind.VIEW,
                "TABLE_SCHEMA",
                "TABLE_NAME",
                "VIEWS",
                "VIEW_DEFINITION, CHECK_OPTION, DEFINER, SECURITY_TYPE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION"
                        + (mariaDb ? ", ALGORITHM" : ""),
                "SELECT",
                "SHOW VIEW");
        one(
                DefinitionKind.TRIGGER,
                "TRIGGER_SCHEMA",
                "TRIGGER_NAME",
                "TRIGGERS",
                "EVENT_OBJECT_TABLE, EVENT_MANIPULATION, ACTION_TIMING, ACTION_ORDER, ACTION_STATEMENT" + created,
                "TRIGGER");
        if (mariaDb) {
            String stored = ", definer, sql_mode, character_set_client, collation_connection, db_collation";
            table(
                    DefinitionKind.ROUTINE,
                    "db",
                    "CONCAT(type, ' ', name)",
                    "proc",
                    "param_list, returns, body_utf8, is_deterministic, sql_data_access, security_type" + stored,
                    " WHERE db" + OF_USERS);
            table(
                    DefinitionKind.EVENT,
                    "db",
                    "name",
                    "event",
                    "body_utf8, execute_at, interval_value, interval_field, starts, ends, on_completion, time_zone"
                            + stored,
                    "");
            return;
        }
        String parameters = "(SELECT GROUP_CONCAT(CONCAT_WS(' ', PARAMETER_MODE, PARAMETER_NAME, DTD_IDENTIFIER)"
                + " ORDER BY ORDINAL_POSITION) FROM information_schema.PARAMETERS AS p WHERE p.SPECIFIC_SCHEMA ="
                + " r.ROUTINE_SCHEMA AND p.SPECIFIC_NAME = r.SPECIFIC_NAME AND p.ROUTINE_TYPE = r.ROUTINE_TYPE)";
        one(
                DefinitionKind.ROUTINE,
                "ROUTINE_SCHEMA",
                "CONCAT(ROUTINE_TYPE, ' ', ROUTINE_NAME)",
                "ROUTINES AS r",
                "DTD_IDENTIFIER, ROUTINE_DEFINITION, EXTERNAL_LANGUAGE, IS_DETERMINISTIC, SQL_DATA_ACCESS,"
                        + " SECURITY_TYPE, " + parameters + created,
                "SELECT");
        one(
                DefinitionKind.EVENT,
                "EVENT_SCHEMA",
                "EVENT_NAME",
                "EVENTS",
                "EVENT_DEFINITION, EXECUTE_AT, INTERVAL_VALUE, INTERVAL_FIELD, STARTS, ENDS, ON_COMPLETION, TIME_ZONE"
                        + created,
                "EVENT");
    }

    /** Of these, a name appears once. */
    private void one(DefinitionKind kind, String schema, String name, String view, String columns, String... needed)
            throws SQLException {
        readAll(
                kind,
                "SELECT " + schema + " AS s, " + name + " AS n, " + hash(columns) + " AS v FROM information_schema."
                        + view + " WHERE " + schema + OF_USERS,
                needed);
    }

    private void table(DefinitionKind kind, String schema, String name, String table, String columns, String where)
            throws SQLException {
        read(
                kind,
                "SELECT " + schema + " AS s, " + name + " AS n, " + hash(columns) + " AS v FROM mysql." + table
                        + where);
    }

    /** What is installed beside the tables. */
    private void installed() throws SQLException {
        read(
                DefinitionKind.PLUGIN,
                "SELECT '' AS s, PLUGIN_NAME AS n, PLUGIN_TYPE AS v FROM information_schema.PLUGINS"
                        + " WHERE PLUGIN_STATUS = 'ACTIVE'");
        if (mariaDb) {
            shapes.put(DefinitionKind.COMPONENT, Known.of(Map.of())); // MariaDB has none
        } else {
            read(DefinitionKind.COMPONENT, "SELECT '' AS s, component_urn AS n, '' AS v FROM mysql.component");
        }
        read(DefinitionKind.LOADABLE_FUNCTION, "SELECT '' AS s, name AS n, dl AS v FROM mysql.func");
        read(
                DefinitionKind.SERVER,
                "SELECT '' AS s, Server_name AS n, "
                        + hash("Host, Db, Username, Password, Port, Socket, Wrapper, Owner")
                        + " AS v FROM mysql.servers");
        read(
                DefinitionKind.TIME_ZONES,
                "SELECT '' AS s, 'time zones' AS n, CONCAT(COUNT(*), ' names') AS v FROM mysql.time_zone_name"
                        + " HAVING COUNT(*) > 0");
    }

    /** Reads a kind that is seen in full with one of these privileges, or without any. */
    private void read(DefinitionKind kind, String sql, String... oneOf) throws SQLException {
        if (oneOf.length > 0 && Set.of(oneOf).stream().noneMatch(privileges::contains)) {
            hidden.add(kind);
            lacking.add(oneOf[0]);
            return;
        }
        readAll(kind, sql);
    }

    /** Marks the kinds that the account may not see in full; one statement grants it all of them. */
    private void hide() {
        String all = String.join(", ", lacking);
        hidden.forEach(
                kind -> shapes.put(kind, Known.unknown("the account lacks " + all + " on *.*", grant.apply(all))));
    }

    private void readAll(DefinitionKind kind, String sql, String... needed) throws SQLException {
        for (String privilege : needed) {
            if (!privileges.contains(privilege)) {
                hidden.add(kind);
                lacking.add(privilege);
            }
        }
        if (hidden.contains(kind)) {
            return;
        }
        List<Map<String, String>> rows;
        try {
            rows = session.rows(sql + " LIMIT " + (MOST + 1));
        } catch (SQLException e) {
            if (e.getErrorCode() == 0) {
                throw e;
            }
            if (ServerQueries.denied(e)) {
                hidden.add(kind);
                lacking.add("SELECT");
            } else {
                shapes.put(kind, Known.unknown(String.valueOf(e.getMessage()), ""));
            }
            return;
        }
        if (rows.size() > MOST) {
            shapes.put(kind, Known.unknown("there are more than " + MOST + ", which are not compared", ""));
            return;
        }
        Map<String, String> read = new HashMap<>();
        for (Map<String, String> row : rows) {
            read.put(name(row.getOrDefault("s", ""), row.getOrDefault("n", "")), row.getOrDefault("v", ""));
        }
        shapes.put(kind, Known.of(read));
    }

    /** The parts of a table share its name. */
    private String name(String schema, String object) {
        String name = schema.isEmpty()
                ? object
                : object.isEmpty() ? schema : new TableOrPartition(schema, object, "").written();
        String known = names.putIfAbsent(name, name);
        return known == null ? name : known;
    }

    /** Returns the hash of a set of rows, whatever their order. */
    private static String shape(String columns) {
        return "BIT_XOR(CAST(CONV(LEFT(" + hash(columns) + ", 16), 16, 10) AS UNSIGNED))";
    }

    /** MySQL 9.6 has no MD5() and no SHA1() any more. */
    private static String hash(String columns) {
        return "SHA2(CONCAT_WS(','" + quoted(columns) + "), 256)";
    }

    /** A null value differs from an empty one, and the end of one from the begin of the next. */
    private static String quoted(String columns) {
        StringBuilder all = new StringBuilder();
        int depth = 0;
        int begin = 0;
        for (int i = 0; i <= columns.length(); i++) {
            char at = i == columns.length() ? ',' : columns.charAt(i);
            depth += at == '(' ? 1 : at == ')' ? -1 : 0;
            if (at == ',' && depth == 0) {
                all.append(", QUOTE(").append(columns, begin, i).append(')');
                begin = i + 1;
            }
        }
        return all.toString();
    }
}
