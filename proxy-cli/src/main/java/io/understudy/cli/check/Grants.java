package io.understudy.cli.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What SHOW GRANTS says an account may do. */
final class Grants {
    /** Privileges that an account for mirroring may have: none of them writes. */
    private static final Set<String> HARMLESS = Set.of(
            "USAGE",
            "SELECT",
            "SHOW VIEW",
            "SHOW DATABASES",
            "PROCESS",
            "REPLICATION CLIENT",
            "BINLOG MONITOR",
            "REPLICA MONITOR",
            "SLAVE MONITOR",
            "SHOW_ROUTINE");

    private final List<String> lines;

    Grants(List<String> lines) {
        this.lines = lines;
    }

    /** Privileges beyond reading, in the order of the alphabet. */
    List<String> beyondReading() {
        Set<String> found = new TreeSet<>();
        for (String line : lines) {
            String upper = line.toUpperCase(Locale.ROOT).replaceAll("\\([^)]*\\)", "");
            int on = upper.indexOf(" ON ");
            if (!upper.startsWith("GRANT ")) {
                continue;
            }
            if (on < 0) {
                // GRANT role TO account: what the role may do is asked in another way on each product.
                int to = line.toUpperCase(Locale.ROOT).indexOf(" TO ");
                found.add("the role " + line.substring(6, Math.max(6, to)));
                continue;
            }
            for (String privilege : upper.substring(6, on).split(",")) {
                String name = privilege.trim();
                if (!HARMLESS.contains(name)) {
                    found.add(name);
                }
            }
            if (upper.contains("WITH GRANT OPTION")) {
                found.add("GRANT OPTION");
            }
        }
        return new ArrayList<>(found);
    }

    /** True when the account has one of these, or everything. */
    boolean hasAny(String... privileges) {
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
