package io.understudy.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The privileges of an account, from the lines of SHOW GRANTS. Immutable. */
public final class AccountGrants {
    /** Privileges that a mirroring account may have: none of them writes. */
    private static final Set<String> HARMLESS = Set.of(
            "USAGE",
            "SELECT",
            "SHOW VIEW",
            "SHOW DATABASES",
            "SHOW CREATE ROUTINE",
            "PROCESS",
            "REPLICATION CLIENT",
            "BINLOG MONITOR",
            "REPLICA MONITOR",
            "SLAVE MONITOR",
            "SHOW_ROUTINE");

    private static final Pattern LINE = Pattern.compile(
            "GRANT (.+?) ON (.+) TO (PUBLIC|[`'][^`']*[`'](?:@[`'][^`']*[`'])?)(?: .*)?", Pattern.CASE_INSENSITIVE);

    private final List<String> lines;

    /** @param lines what SHOW GRANTS returned */
    public AccountGrants(List<String> lines) {
        this.lines = lines.stream().map(Quoting::backticked).toList();
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
        for (String line : lines) {
            String upper = line.toUpperCase(Locale.ROOT);
            if (!upper.startsWith("GRANT ")) {
                continue;
            }
            Matcher grant = LINE.matcher(line);
            if (!grant.matches()) {
                // GRANT role TO account: each product has another query for a role's privileges.
                int to = upper.indexOf(" TO ");
                if (!upper.contains(" ON ") && to > 0) {
                    String role = line.substring(6, to);
                    found.add(
                            new Excess(List.of(role), "", line.substring(to + 4).replaceFirst(" WITH .*", "")));
                }
                continue;
            }
            Set<String> more = new TreeSet<>();
            // Commas within parentheses separate columns.
            for (String privilege : grant.group(1).split(",(?![^(]*\\))")) {
                String name = privilege.trim().toUpperCase(Locale.ROOT);
                if (!HARMLESS.contains(name.replaceAll("\\s*\\([^)]*\\)", ""))) {
                    more.add(privilege.trim());
                }
            }
            if (upper.contains("WITH GRANT OPTION")) {
                more.add("GRANT OPTION");
            }
            if (!more.isEmpty()) {
                found.add(new Excess(List.copyOf(more), grant.group(2), grant.group(3)));
            }
        }
        return found;
    }

    /** Returns whether the account may read all tables of a schema. */
    public boolean reads(String schema) {
        return has("SELECT", schema);
    }

    /** Returns whether the account has a privilege on a whole schema. */
    public boolean has(String privilege, String schema) {
        for (String line : lines) {
            Matcher grant = LINE.matcher(line);
            if (!grant.matches()) {
                continue;
            }
            String privileges = "," + grant.group(1).toUpperCase(Locale.ROOT).replace(", ", ",") + ",";
            boolean granted = privileges.contains("," + privilege + ",") || privileges.contains(",ALL PRIVILEGES,");
            if (granted && covers(grant.group(2), schema)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether {@code *.*} or {@code `pattern`.*} covers a schema; the pattern is that of LIKE. */
    private static boolean covers(String object, String schema) {
        if (object.equals("*.*")) {
            return true;
        }
        if (!object.endsWith(".*")) {
            return false;
        }
        String like = object.substring(0, object.length() - 2);
        if (like.length() > 1 && like.startsWith("`") && like.endsWith("`")) {
            like = like.substring(1, like.length() - 1).replace("``", "`");
        }
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < like.length(); i++) {
            char c = like.charAt(i);
            if (c == '\\' && i + 1 < like.length()) {
                regex.append(Pattern.quote(String.valueOf(like.charAt(++i))));
            } else {
                regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(schema).matches();
    }

    /** Returns true if the account has one of these privileges, or all. */
    public boolean hasAny(String... privileges) {
        for (String line : lines) {
            String upper = line.toUpperCase(Locale.ROOT);
            int on = upper.indexOf(" ON *.* ");
            if (on < 0) {
                continue;
            }
            String granted = "," + upper.substring(6, on).replace(", ", ",") + ",";
            if (granted.equals(",ALL PRIVILEGES,")) {
                return true;
            }
            for (String privilege : privileges) {
                if (granted.contains("," + privilege + ",")) {
                    return true;
                }
            }
        }
        return false;
    }
}
