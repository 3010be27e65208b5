package io.understudy.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The privileges of an account, from the lines of SHOW GRANTS: its own, those of its roles and of PUBLIC. Immutable.
 */
public final class AccountGrants {
    /** Privileges that a mirroring account may have: none of them writes. */
    private static final Set<String> HARMLESS = Set.of(
            ("USAGE,SELECT,SHOW VIEW,SHOW DATABASES,SHOW CREATE ROUTINE,PROCESS,REPLICATION CLIENT,BINLOG MONITOR"
                            + ",REPLICA MONITOR,SLAVE MONITOR,SHOW_ROUTINE")
                    .split(","));

    private static final String PART = "(?:`(?:[^`]|``)*+`|'(?:[^']|'')*+')";

    private static final Pattern PRIVILEGES = Pattern.compile(
            "GRANT (.+?) ON (.+) TO (PUBLIC|" + PART + "(?:@" + PART + ")?)(?: .*)?",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern TABLES =
            Pattern.compile("(?:TABLE )?(\\*|`(?:[^`]|``)*+`)\\.(\\*|`(?:[^`]|``)*+`)", Pattern.CASE_INSENSITIVE);

    /**
     * One line.
     *
     * @param privileges in alphabetical order; one on columns has their list behind it, and so is none on the table
     * @param object as SHOW GRANTS writes it, or empty for a role
     * @param schema of a grant on tables, otherwise null
     * @param table by its name, or {@code *}
     * @param grantee as SHOW GRANTS writes it
     */
    private record Grant(
            Set<String> privileges,
            String object,
            @Nullable Pattern schema,
            String table,
            String grantee,
            boolean option) {
        boolean has(String privilege) {
            return privileges.contains(privilege)
                    || privileges.contains("ALL PRIVILEGES")
                    || privileges.contains("ALL");
        }

        boolean isOnSchema(String name) {
            return schema != null && schema.matcher(name).matches();
        }
    }

    private final List<Grant> grants = new ArrayList<>();

    /** Reads what SHOW GRANTS returned. */
    public AccountGrants(List<String> lines) {
        for (String line : lines) {
            add(Quoting.backticked(line));
        }
    }

    private void add(String line) {
        Matcher matcher = PRIVILEGES.matcher(line);
        if (matcher.matches()) {
            Matcher tables = TABLES.matcher(matcher.group(2));
            boolean onTables = tables.matches();
            String table = onTables ? bare(tables.group(2)) : "";
            grants.add(new Grant(
                    privileges(matcher.group(1)),
                    matcher.group(2),
                    onTables ? schema(bare(tables.group(1)), table) : null,
                    table,
                    matcher.group(3),
                    line.toUpperCase(Locale.ROOT).contains("WITH GRANT OPTION")));
            return;
        }
        String upper = line.toUpperCase(Locale.ROOT);
        int to = upper.indexOf(" TO ");
        if (upper.startsWith("GRANT ") && !upper.contains(" ON ") && to > 0) {
            // A role: each product has another query for its privileges.
            String grantee = line.substring(to + 4).replaceFirst(" WITH .*", "");
            grants.add(new Grant(Set.of(line.substring(6, to)), "", null, "", grantee, false));
        }
    }

    private static Set<String> privileges(String list) {
        Set<String> all = new TreeSet<>();
        // Commas within parentheses separate columns.
        for (String privilege : list.split(",(?![^(]*\\))")) {
            String name = privilege.trim();
            all.add(name.indexOf('(') < 0 ? name.toUpperCase(Locale.ROOT) : name);
        }
        return all;
    }

    private static String bare(String quoted) {
        return quoted.equals("*")
                ? "*"
                : quoted.substring(1, quoted.length() - 1).replace("``", "`");
    }

    /** Returns the pattern of a schema: that of LIKE where the grant is on all its tables, {@code *} for all. */
    private static Pattern schema(String name, String table) {
        if (!table.equals("*")) {
            return Pattern.compile(name, Pattern.LITERAL);
        }
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '\\' && i + 1 < name.length()) {
                regex.append(Pattern.quote(String.valueOf(name.charAt(++i))));
            } else {
                regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
            }
        }
        return Pattern.compile(name.equals("*") ? ".*" : regex.toString(), Pattern.DOTALL);
    }

    /** Returns whether the account has one of these privileges on everything. */
    public boolean hasAny(String... privileges) {
        return grants.stream()
                .filter(grant -> grant.object.equals("*.*"))
                .anyMatch(grant -> Stream.of(privileges).anyMatch(grant::has));
    }

    /** Returns whether the account has a privilege on anything. */
    public boolean hasSomewhere(String privilege) {
        return grants.stream().anyMatch(grant -> grant.has(privilege));
    }

    /** Returns whether the account has SELECT on anything, and not only as everybody has it. */
    public boolean readsByItself() {
        return grants.stream()
                .filter(grant -> !grant.grantee.equalsIgnoreCase("PUBLIC"))
                .anyMatch(grant ->
                        grant.has("SELECT") || grant.privileges.stream().anyMatch(name -> name.startsWith("SELECT")));
    }

    /** Returns whether the account has a privilege on every table of a schema. */
    public boolean has(String privilege, String schema) {
        return grants.stream()
                .anyMatch(grant -> grant.table.equals("*") && grant.has(privilege) && grant.isOnSchema(schema));
    }

    /** Returns whether the account has a privilege on a whole table. */
    public boolean has(String privilege, String schema, String table) {
        return grants.stream()
                .anyMatch(grant -> (grant.table.equals("*") || grant.table.equals(table))
                        && grant.has(privilege)
                        && grant.isOnSchema(schema));
    }

    /** Returns whether the account may read all tables of a schema. */
    public boolean reads(String schema) {
        return has("SELECT", schema);
    }

    /**
     * One grant of more than reading.
     *
     * @param privileges in alphabetical order
     * @param object schema or table as SHOW GRANTS writes it, or empty for a role
     * @param grantee as SHOW GRANTS writes it: the account, one of its roles, or PUBLIC
     */
    public record Excess(List<String> privileges, String object, String grantee) {
        /** Returns whether every account has it. */
        public boolean isPublic() {
            return grantee.equalsIgnoreCase("PUBLIC");
        }

        /** Returns the REVOKE for it: one statement, or two because ALL PRIVILEGES must stand alone. */
        public String revoke() {
            String on = (object.isEmpty() ? "" : " ON " + object) + " FROM " + grantee;
            return privileges.contains("ALL PRIVILEGES")
                    ? "REVOKE " + String.join(on + "; REVOKE ", privileges) + on
                    : "REVOKE " + String.join(", ", privileges) + on;
        }
    }

    /** Returns the grants beyond reading, in the order of the lines. */
    public List<Excess> beyondReading() {
        List<Excess> found = new ArrayList<>();
        for (Grant grant : grants) {
            Set<String> more = new TreeSet<>(grant.privileges);
            if (!grant.object.isEmpty()) {
                more.removeIf(name ->
                        HARMLESS.contains(name.replaceAll("\\s*\\([^)]*\\)", "").toUpperCase(Locale.ROOT)));
            }
            if (grant.option) {
                more.add("GRANT OPTION");
            }
            if (!more.isEmpty()) {
                found.add(new Excess(List.copyOf(more), grant.object, grant.grantee));
            }
        }
        return found;
    }
}
