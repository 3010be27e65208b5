package io.understudy.plugins.gtiddomain.catalog;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The privileges of the account on schemas and tables, from SHOW GRANTS, which includes those of its roles and of
 * PUBLIC. The dictionary shows nothing of objects that the account has no privilege for, and does not say so.
 */
final class TablePrivileges {
    /** In double quotes where the server's {@code sql_mode} has ANSI_QUOTES. */
    private static final String NAME = "(\\*|`(?:[^`]|``)+`|\"(?:[^\"]|\"\")+\")";

    private static final Pattern LINE =
            Pattern.compile("GRANT (.+?) ON (?:TABLE )?" + NAME + "\\." + NAME + " TO .*", Pattern.DOTALL);

    /** @param table {@code *} for all */
    private record Grant(Set<String> privileges, Pattern schema, String table) {
        boolean has(String privilege) {
            return privileges.contains(privilege) || privileges.contains("ALL PRIVILEGES");
        }
    }

    private final List<Grant> grants = new ArrayList<>();

    static TablePrivileges of(Connection connection) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW GRANTS")) {
            while (rows.next()) {
                lines.add(rows.getString(1));
            }
        }
        return new TablePrivileges(lines);
    }

    TablePrivileges(List<String> lines) {
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                // One on columns keeps their list and so is none of those asked for.
                String[] privileges = matcher.group(1).toUpperCase(Locale.ROOT).split(", ");
                String schema = unquoted(matcher.group(2));
                String table = unquoted(matcher.group(3));
                // The schema's name is a pattern only in a grant on all of its tables.
                Pattern schemas = table.equals("*") ? like(schema) : Pattern.compile(schema, Pattern.LITERAL);
                grants.add(new Grant(Set.copyOf(Arrays.asList(privileges)), schemas, table));
            }
        }
    }

    /** Returns whether the account has a privilege on every table of a schema. */
    boolean covers(String privilege, String schema) {
        for (Grant grant : grants) {
            if (grant.table.equals("*")
                    && grant.has(privilege)
                    && grant.schema.matcher(schema).matches()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the account has a privilege on a table by its name. */
    boolean names(String privilege, String schema, String table) {
        for (Grant grant : grants) {
            if (grant.table.equals(table)
                    && grant.has(privilege)
                    && grant.schema.matcher(schema).matches()) {
                return true;
            }
        }
        return false;
    }

    private static String unquoted(String name) {
        if (name.equals("*")) {
            return name;
        }
        String quote = name.substring(0, 1);
        return name.substring(1, name.length() - 1).replace(quote + quote, quote);
    }

    /** Returns the pattern of a schema in a grant: that of LIKE, and {@code *} for all. */
    private static Pattern like(String schema) {
        if (schema.equals("*")) {
            return Pattern.compile(".*", Pattern.DOTALL);
        }
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < schema.length(); i++) {
            char c = schema.charAt(i);
            if (c == '\\' && i + 1 < schema.length()) {
                regex.append(Pattern.quote(String.valueOf(schema.charAt(++i))));
            } else {
                regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
