package io.understudy.readiness;

import io.understudy.pages.ServerQueries;
import io.understudy.pages.TableOrPartition;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads the names of a server's tables. {@code information_schema.TABLES} has only those on which the account has a
 * privilege, so it counts only with a global SELECT; otherwise InnoDB's dictionary is read, which needs PROCESS.
 */
final class TableReader {
    private static final int MOST = 50_000;
    private static final Set<String> SYSTEM = Set.of("mysql", "information_schema", "performance_schema", "sys");

    private final ServerSession session;

    TableReader(ServerSession session) {
        this.session = session;
    }

    TableNames read() throws SQLException {
        return hasEverywhere("SELECT") ? tables() : innoDb();
    }

    /** Returns whether the account itself has a privilege on everything. */
    boolean hasEverywhere(String privilege) throws SQLException {
        // An account with SELECT on the grant tables sees the privileges of all accounts there.
        return !session.rows("SELECT PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES"
                        + " WHERE PRIVILEGE_TYPE = '" + privilege + "' AND GRANTEE ="
                        + " CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')")
                .isEmpty();
    }

    private TableNames tables() throws SQLException {
        Set<String> names = new HashSet<>();
        List<Map<String, String>> rows =
                session.rows("SELECT TABLE_SCHEMA AS s, TABLE_NAME AS t, TABLE_TYPE AS k FROM information_schema.TABLES"
                        + " WHERE TABLE_SCHEMA NOT IN ('mysql','information_schema','performance_schema','sys') LIMIT "
                        + (MOST + 1));
        Set<String> views = new HashSet<>();
        for (Map<String, String> row : rows) {
            String name = new TableOrPartition(row.getOrDefault("s", ""), row.getOrDefault("t", ""), "").written();
            names.add(name);
            if (row.getOrDefault("k", "").endsWith("VIEW")) {
                views.add(name);
            }
        }
        return new TableNames(names, views, false, rows.size() <= MOST);
    }

    private TableNames innoDb() throws SQLException {
        List<Map<String, String>> rows;
        try {
            rows = session.rows(
                    "SELECT NAME AS n FROM information_schema.INNODB_SYS_TABLES LIMIT " + (MOST + 1)); // MariaDB
        } catch (SQLException e) {
            if (e.getErrorCode() == 0 || ServerQueries.denied(e)) {
                throw e;
            }
            rows = session.rows("SELECT NAME AS n FROM information_schema.INNODB_TABLES LIMIT " + (MOST + 1));
        }
        Set<String> names = new HashSet<>();
        for (Map<String, String> row : rows) {
            String name = row.getOrDefault("n", "");
            int slash = name.indexOf('/');
            if (slash > 0 && !isInternal(name.substring(slash + 1))) {
                TableOrPartition table = TableOrPartition.file(name.substring(0, slash), name.substring(slash + 1));
                if (!SYSTEM.contains(table.schema().toLowerCase(Locale.ROOT))) {
                    names.add(table.written());
                }
            }
        }
        return new TableNames(names, Set.of(), true, rows.size() <= MOST);
    }

    /** Copies of ALTER TABLE and the tables of full-text indexes, whose names hold numbers of the server. */
    private static boolean isInternal(String table) {
        String lower = table.toLowerCase(Locale.ROOT);
        return lower.startsWith("#sql") || lower.startsWith("fts_");
    }
}
