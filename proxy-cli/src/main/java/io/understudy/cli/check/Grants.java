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
            String upper = line.toUpperCase(Locale.ROOT);
            int on = upper.indexOf(" ON ");
            if (!upper.startsWith("GRANT ") || on < 0) {
                continue;
            }
            for (String privilege : upper.substring(6, on).split(",")) {
                String name = privilege.replaceAll("\\(.*", "").trim();
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
