package io.understudy.rebuild;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Checks whether one table may be rebuilt: it exists, uses InnoDB, has its own files and no full-text indexes, and the
 * account has the privileges.
 */
final class TableChecks {
    private static final Set<String> SYSTEM = Set.of("mysql", "sys", "performance_schema", "information_schema");

    private static final Set<String> TABLES = Set.of("BASE TABLE", "SYSTEM VERSIONED");

    private record Found(String schema, String table, String type, String engine) {}

    private TableChecks() {}

    static Subject check(StandbyQueries standby, RebuildPrivileges privileges, String schema, String table)
            throws SQLException, Refused {
        String shown = schema + "." + table;
        if (SYSTEM.contains(schema)) {
            throw new Refused(shown + " is one of the server's own tables, which are left alone");
        }
        List<String> missing = privileges.missingOn(schema, table);
        if (!missing.isEmpty()) {
            throw new Refused("the account lacks privileges on " + shown
                    + "; an administrator grants them on the standby with: SET SESSION sql_log_bin = 0; "
                    + String.join(" ", missing));
        }
        ServerQueries queries = standby.queries();
        String where = " WHERE TABLE_SCHEMA = " + Quoting.text(schema) + " AND TABLE_NAME = " + Quoting.text(table);
        List<Found> all = queries.rows(
                "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES" + where,
                row -> new Found(
                        ServerQueries.text(row, 1),
                        ServerQueries.text(row, 2),
                        ServerQueries.text(row, 3),
                        ServerQueries.text(row, 4)));
        if (all.isEmpty()) {
            throw new Refused("there is no table " + shown + " on the standby");
        }
        // The server may compare without case; its own spelling is the one in the names of files.
        Found found = all.stream()
                .filter(each -> each.schema.equals(schema) && each.table.equals(table))
                .findFirst()
                .orElse(all.get(0));
        if (!TABLES.contains(found.type)) {
            throw new Refused(shown + " is not a table but a " + found.type.toLowerCase(Locale.ROOT));
        }
        if (!found.engine.equalsIgnoreCase("InnoDB")) {
            throw new Refused(shown + " is not an InnoDB table but "
                    + (found.engine.isEmpty() ? "one that the server cannot open" : found.engine));
        }
        if (queries.number(
                        "SELECT COUNT(*) FROM information_schema.STATISTICS" + where + " AND INDEX_TYPE = 'FULLTEXT'")
                > 0) {
            throw new Refused(shown
                    + " has a full-text index, and the rebuild of such a table locks out the applier; rebuild it while"
                    + " replication is stopped anyway");
        }
        long partitions = queries.number(
                "SELECT COUNT(*) FROM information_schema.PARTITIONS" + where + " AND PARTITION_NAME IS NOT NULL");
        long bytes = TableSize.fileBytes(standby, found.schema, found.table);
        if (bytes == 0) {
            throw new Refused(shown
                    + " has no file of its own (innodb_file_per_table), so a rebuild would not give back its room");
        }
        return new Subject(found.schema, found.table, bytes, partitions > 0);
    }
}
