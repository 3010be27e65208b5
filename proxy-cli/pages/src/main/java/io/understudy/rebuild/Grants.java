package io.understudy.rebuild;

import io.understudy.pages.PagesGrants;
import io.understudy.pages.Product;
import io.understudy.pages.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses an account's privileges from {@code SHOW GRANTS} and builds the GRANT statements for missing ones. */
final class Grants {
    private static final Pattern GRANT = Pattern.compile(
            "GRANT (.+?) ON (?:TABLE )?(\\*|`(?:[^`]|``)*`)\\.(\\*|`(?:[^`]|``)*`) TO .*", Pattern.DOTALL);

    private static final List<String> ON_TABLES = List.of("ALTER", "CREATE", "INSERT", "SELECT");

    private final List<Granted> granted = new ArrayList<>();
    private final Product product;
    private final String user;

    private record Granted(Set<String> privileges, String schema, String table) {}

    Grants(List<String> lines, Product product, String user) {
        this.product = product;
        this.user = user;
        for (String line : lines) {
            Matcher matcher = GRANT.matcher(Quoting.backticked(line));
            if (matcher.matches()) {
                // Privileges on single columns are not sufficient, so they are left out.
                Set<String> privileges = new LinkedHashSet<>(Arrays.asList(matcher.group(1)
                        .toUpperCase(Locale.ROOT)
                        .replaceAll("[A-Z ]+\\([^)]*\\)", "")
                        .split(", ?")));
                granted.add(new Granted(privileges, bare(matcher.group(2)), bare(matcher.group(3))));
            }
        }
    }

    static Grants of(ServerQueries queries, Product product, String user) throws SQLException {
        return new Grants(queries.rows("SHOW GRANTS", row -> ServerQueries.text(row, 1)), product, user);
    }

    private static String bare(String quoted) {
        return quoted.equals("*")
                ? "*"
                : quoted.substring(1, quoted.length() - 1).replace("``", "`");
    }

    /** Returns the required privileges. Each entry lists alternatives; the first one is the one to grant. */
    private List<List<String>> onServer(boolean lowersSuperReadOnly) {
        List<List<String>> needs = new ArrayList<>();
        needs.add(List.of("PROCESS"));
        if (product == Product.MARIADB) {
            needs.add(List.of("BINLOG ADMIN"));
            needs.add(List.of("READ_ONLY ADMIN", "READ ONLY ADMIN"));
            needs.add(List.of("REPLICA MONITOR", "SLAVE MONITOR"));
        } else {
            needs.add(List.of("REPLICATION CLIENT"));
            needs.add(List.of("CONNECTION_ADMIN", "SUPER"));
            needs.add(
                    lowersSuperReadOnly
                            ? List.of("SYSTEM_VARIABLES_ADMIN", "SUPER")
                            : List.of("SESSION_VARIABLES_ADMIN", "SYSTEM_VARIABLES_ADMIN", "SUPER"));
        }
        return needs;
    }

    /** Returns the statements that grant the missing privileges on the whole server; empty if none is missing. */
    List<String> missingOnServer(boolean lowersSuperReadOnly) {
        List<String> missing = onServer(lowersSuperReadOnly).stream()
                .filter(names -> names.stream().noneMatch(name -> has(name, "*", "*")))
                .map(names -> names.get(0))
                .toList();
        List<String> statements = new ArrayList<>();
        if (!missing.isEmpty()) {
            statements.add("GRANT " + String.join(", ", missing) + " ON *.* TO " + PagesGrants.account(user) + ";");
        }
        if (!has("SELECT", "mysql", "innodb_index_stats")) {
            statements.add("GRANT SELECT ON mysql.innodb_index_stats TO " + PagesGrants.account(user) + ";");
        }
        return statements;
    }

    /** Returns the statements that grant the missing privileges on one table; empty if none is missing. */
    List<String> missingOn(String schema, String table) {
        List<String> missing =
                ON_TABLES.stream().filter(name -> !has(name, schema, table)).toList();
        return missing.isEmpty()
                ? List.of()
                : List.of("GRANT " + String.join(", ", missing) + " ON " + Quoting.name(schema) + ".* TO "
                        + PagesGrants.account(user) + ";");
    }

    private boolean has(String privilege, String schema, String table) {
        return granted.stream()
                .anyMatch(each -> (each.privileges.contains(privilege)
                                || each.privileges.contains("ALL PRIVILEGES")
                                || each.privileges.contains("ALL"))
                        && covers(each, schema, table));
    }

    private static boolean covers(Granted each, String schema, String table) {
        if (each.schema.equals("*")) {
            return true;
        }
        if (!each.table.equals("*")) {
            return each.schema.equals(schema) && each.table.equals(table);
        }
        return like(each.schema).matcher(schema).matches();
    }

    /**
     * Compiles the schema name of a grant, which is a LIKE pattern. With partial revokes it is a plain name, which
     * usually holds no wildcard.
     */
    private static Pattern like(String pattern) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '\\' && i + 1 < pattern.length()) {
                regex.append(Pattern.quote(String.valueOf(pattern.charAt(++i))));
            } else if (c == '%') {
                regex.append(".*");
            } else if (c == '_') {
                regex.append('.');
            } else {
                regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
