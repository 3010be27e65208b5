package io.understudy.switchover;

import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The global privileges of the switchover's account on one server, with those of its active roles. */
final class Privileges {
    private static final String EVERYWHERE = " ON *.* ";
    private static final String GRANT = "GRANT ";

    private final Set<String> granted = new HashSet<>();

    private Privileges() {}

    static Privileges of(Node node, Dialect dialect) throws SQLException {
        return of(node.rows(dialect.grants(node)).stream()
                .map(row -> row.values().iterator().next())
                .toList());
    }

    /** @param grants lines of SHOW GRANTS */
    static Privileges of(List<String> grants) {
        Privileges privileges = new Privileges();
        grants.forEach(privileges::add);
        return privileges;
    }

    private void add(String line) {
        String upper = line.toUpperCase(Locale.ROOT);
        int on = upper.indexOf(EVERYWHERE);
        if (upper.startsWith(GRANT) && on > 0) {
            for (String privilege : upper.substring(GRANT.length(), on).split(",")) {
                granted.add(privilege.strip());
            }
        }
    }

    boolean has(String privilege) {
        return granted.contains(privilege) || granted.contains("ALL PRIVILEGES");
    }

    /**
     * Ensures that the account may do all that a switchover does on both servers, before anything is changed.
     *
     * @throws SQLException if it may not; the message has the GRANT
     */
    static void check(Dialect dialect, Node... nodes) throws SQLException {
        List<String> problems = new ArrayList<>();
        Set<String> all = new HashSet<>();
        for (Node node : nodes) {
            List<String> missing = dialect.missing(of(node, dialect), node);
            if (!missing.isEmpty()) {
                problems.add("on " + node.name() + " it lacks " + String.join(", ", missing));
                all.addAll(missing);
            }
        }
        if (!problems.isEmpty()) {
            String account = nodes[0].value("SELECT CURRENT_USER()");
            int at = account.lastIndexOf('@');
            throw new SQLException("the account of section switchover may do too little: "
                    + String.join("; ", problems) + ". On the primary: GRANT "
                    + String.join(", ", all.stream().sorted().toList()) + " ON *.* TO "
                    + Quoting.account(account.substring(0, at)) + "@" + Quoting.account(account.substring(at + 1))
                    + ", and where it lacks more than replication brings, there too");
        }
    }
}
