package io.understudy.readiness;

import io.understudy.pages.TableOrPartition;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the shapes of all definitions: a fixed number of queries, whose results the server aggregates. So a table costs
 * a hash for each of its parts, however many columns it has; of servers with more than {@link #MOST} tables, a schema
 * does. The queries are in {@code definitions.sql}.
 */
final class DefinitionsReader {
    static final int MOST = 10_000;

    private static final String OF_USERS = "NOT IN ('mysql','information_schema','performance_schema','sys')";
    private static final String TABLE_WORDS = "CONCAT_WS(' ', IF(TABLE_TYPE = 'BASE TABLE', NULL, TABLE_TYPE), ENGINE,"
            + " TABLE_COLLATION, NULLIF(CREATE_OPTIONS, ''))";
    private static final Pattern HEADER = Pattern.compile("-- (\\w+)(?: on (\\w+))?(?:: (one|all) of (.*))?");
    /** Without another one inside. */
    private static final Pattern BRACES = Pattern.compile("\\{([a-z ]+): ([^{}]*)\\}");

    private static final List<Query> QUERIES = queries();

    /**
     * The query for a kind.
     *
     * @param product empty for both
     * @param needed the privileges with which the account sees it in full
     * @param all whether it needs all of them, or one
     */
    private record Query(DefinitionKind kind, String product, List<String> needed, boolean all, String sql) {}

    private final int most;
    private final ServerQueries session;
    private final ServerFacts facts;
    private final UnaryOperator<String> grant;
    private final EnumMap<DefinitionKind, Known<Map<String, String>>> shapes = new EnumMap<>(DefinitionKind.class);
    private final Map<String, String> names = new HashMap<>();
    private final Set<DefinitionKind> hidden = EnumSet.noneOf(DefinitionKind.class);
    private final Set<String> lacking = new TreeSet<>();

    /**
     * @param grant returns the statement that grants the account a privilege on everything
     * @param most the number of tables up to which each has shapes of its own
     */
    DefinitionsReader(ServerQueries session, ServerFacts facts, UnaryOperator<String> grant, int most) {
        this.most = most;
        this.session = session;
        this.facts = facts;
        this.grant = grant;
    }

    private static List<Query> queries() {
        try (InputStream in = DefinitionsReader.class.getResourceAsStream("definitions.sql")) {
            if (in == null) {
                throw new IOException("there is no definitions.sql");
            }
            List<Query> all = new ArrayList<>();
            for (String part : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n\n", -1)) {
                String[] lines = part.split("\n", 2);
                Matcher header = HEADER.matcher(lines[0]);
                if (header.matches()) {
                    String needed = header.group(4);
                    all.add(new Query(
                            DefinitionKind.valueOf(header.group(1)),
                            header.group(2) == null ? "" : header.group(2),
                            needed == null ? List.of() : List.of(needed.split(", ")),
                            "all".equals(header.group(3)),
                            lines[1].replace('\n', ' ').strip()));
                }
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads all kinds, and leaves those unknown that the account may not see in full.
     *
     * @throws SQLException when the connection fails or the time is up
     */
    Definitions read() throws SQLException {
        Set<String> privileges = session.ownPrivileges();
        // MariaDB lists the folders; no table is opened.
        boolean bySchema =
                session.number("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA " + OF_USERS) > most;
        String product = facts.isMariaDb() ? "MARIADB" : "MYSQL";
        for (Query query : QUERIES) {
            if (query.product.isEmpty() || query.product.equals(product)) {
                read(query, privileges, bySchema);
            }
        }
        // One statement grants the account all that it lacks.
        String all = String.join(", ", lacking);
        for (DefinitionKind kind : DefinitionKind.values()) {
            if (hidden.contains(kind)) {
                shapes.put(kind, Known.unknown("the account lacks " + all + " on *.*", grant.apply(all)));
            }
            shapes.putIfAbsent(kind, Known.of(Map.of()));
        }
        return new Definitions(shapes, bySchema);
    }

    private void read(Query query, Set<String> privileges, boolean bySchema) throws SQLException {
        DefinitionKind kind = query.kind;
        List<String> lacks = query.needed.stream()
                .filter(privilege -> !privileges.contains(privilege))
                .toList();
        if (query.all ? !lacks.isEmpty() : !lacks.isEmpty() && lacks.equals(query.needed)) {
            hidden.add(kind);
            lacking.addAll(query.all ? lacks : lacks.subList(0, 1));
            return;
        }
        if (kind == DefinitionKind.PARTITIONS && !bySchema && !mayBePartitioned()) {
            return; // MariaDB would open every table for it
        }
        Map<String, String> read = new HashMap<>();
        try {
            boolean sequences = kind == DefinitionKind.SEQUENCES;
            for (Map<String, String> row :
                    session.named(filled(query.sql, bySchema) + (sequences ? "" : " LIMIT " + (MOST + 1)))) {
                String schema = row.getOrDefault("s", "");
                String object = row.getOrDefault("n", "");
                String shape = sequences ? sequence(schema, object) : row.getOrDefault("v", "");
                if (sequences && bySchema) {
                    read.merge(name(schema, ""), object + " " + shape, String::concat);
                } else {
                    read.put(name(schema, object), shape);
                }
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == 0) {
                throw e;
            }
            if (ServerQueries.denied(e)) {
                hidden.add(kind);
                lacking.add("SELECT");
            } else { // a sequence was dropped meanwhile, say
                shapes.put(kind, Known.unknown(String.valueOf(e.getMessage()), ""));
            }
            return;
        }
        shapes.put(
                kind,
                read.size() > MOST
                        ? Known.unknown("there are more than " + MOST + ", which are not compared", "")
                        : Known.of(read));
    }

    private boolean mayBePartitioned() {
        Map<String, String> tables =
                shapes.getOrDefault(DefinitionKind.TABLE, Known.late()).value();
        return tables == null || tables.values().stream().anyMatch(each -> each.contains("partitioned"));
    }

    /** A sequence of MariaDB is a table of one row, which replication changes; its definition is in that row, too. */
    private String sequence(String schema, String name) throws SQLException {
        return session.named("SELECT CONCAT('increment ', increment, ' minimum ', minimum_value, ' maximum ',"
                        + " maximum_value, IF(cycle_option, ' cycle', '')) AS v FROM " + Quoting.name(schema, name))
                .get(0)
                .getOrDefault("v", "");
    }

    /** The parts of a table share its name. */
    private String name(String schema, String object) {
        String name = schema.isEmpty()
                ? object
                : object.isEmpty() ? schema : new TableOrPartition(schema, object, "").written();
        String known = names.putIfAbsent(name, name);
        return known == null ? name : known;
    }

    private String filled(String query, boolean bySchema) {
        String sql = query.replace("{users}", OF_USERS)
                .replace("{name}", bySchema ? "''" : "TABLE_NAME")
                .replace("{words}", TABLE_WORDS)
                .replace("{ignored}", hasIgnored() ? "IGNORED" : "''");
        for (Matcher braces = BRACES.matcher(sql); braces.find(); braces = BRACES.matcher(sql)) {
            String text = braces.group(2);
            String filled = switch (braces.group(1)) {
                case "hash" -> hash(text);
                // Whatever the order of the rows.
                case "shape" -> "BIT_XOR(CAST(CONV(LEFT(" + hash(text) + ", 16), 16, 10) AS UNSIGNED))";
                case "mariadb" -> facts.isMariaDb() ? text : "";
                case "mysql" -> facts.isMariaDb() ? "" : text;
                case "by schema" -> bySchema ? text : "";
                default -> bySchema ? "" : text;
            };
            sql = sql.substring(0, braces.start()) + filled + sql.substring(braces.end());
        }
        return sql;
    }

    private boolean hasIgnored() {
        String[] numbers = facts.variable("version").split("[^0-9]+", 3);
        return numbers.length > 1 && Integer.parseInt(numbers[0]) * 100 + Integer.parseInt(numbers[1]) >= 1006;
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

    /**
     * The shapes of what is defined on a server, by kind and name. A shape is a hash, or words where they are short.
     *
     * @param shapes by kind; a kind that could not be read is unknown, with the statement that makes it readable
     * @param bySchema whether the tables are too many for one shape each, so that there is one for a schema
     */
    record Definitions(EnumMap<DefinitionKind, Known<Map<String, String>>> shapes, boolean bySchema) {
        Known<Map<String, String>> of(DefinitionKind kind) {
            return shapes.getOrDefault(kind, Known.late());
        }
    }
}
