package io.understudy.rebuild;

import io.understudy.pages.Ask;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks whether one table may be rebuilt: it exists, uses InnoDB, has its own files and no full-text indexes, and the
 * account has the privileges.
 */
final class TableChecks {
    private static final Set<String> SYSTEM = Set.of("mysql", "sys", "performance_schema", "information_schema");

    private final Standby standby;
    private final Grants grants;

    TableChecks(Standby standby, Grants grants) {
        this.standby = standby;
        this.grants = grants;
    }

    Subject check(String schema, String table) throws SQLException, Refused {
        String shown = schema + "." + table;
        if (SYSTEM.contains(schema)) {
            throw new Refused(shown + " is one of the server's own tables, which are left alone");
        }
        List<String> missing = grants.missingOn(schema, table);
        if (!missing.isEmpty()) {
            throw new Refused("the account lacks privileges on " + shown
                    + "; an administrator grants them on the standby with: SET SESSION sql_log_bin = 0; "
                    + String.join(" ", missing));
        }
        Ask ask = standby.ask();
        String where = " WHERE TABLE_SCHEMA = " + Ask.quote(schema) + " AND TABLE_NAME = " + Ask.quote(table);
        List<Map.Entry<String, String>> found = ask.rows(
                "SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES" + where,
                row -> Map.entry(Ask.text(row, 1), Ask.text(row, 2)));
        if (found.isEmpty()) {
            throw new Refused("there is no table " + shown + " on the standby");
        }
        if (!found.get(0).getKey().equals("BASE TABLE")
                || !found.get(0).getValue().equalsIgnoreCase("InnoDB")) {
            throw new Refused(shown + " is not an InnoDB table but "
                    + (found.get(0).getValue().isEmpty()
                            ? found.get(0).getKey()
                            : found.get(0).getValue()));
        }
        if (ask.number("SELECT COUNT(*) FROM information_schema.STATISTICS" + where + " AND INDEX_TYPE = 'FULLTEXT'")
                > 0) {
            throw new Refused(shown
                    + " has a full-text index, and the rebuild of such a table locks out the applier; rebuild it while"
                    + " replication is stopped anyway");
        }
        long partitions = ask.number(
                "SELECT COUNT(*) FROM information_schema.PARTITIONS" + where + " AND PARTITION_NAME IS NOT NULL");
        return new Subject(schema, table, fileBytes(schema, table, shown), partitions > 0);
    }

    private long fileBytes(String schema, String table, String shown) throws SQLException, Refused {
        long bytes = TableSize.fileBytes(standby, schema, table);
        if (bytes == 0) {
            throw new Refused(shown
                    + " has no file of its own (innodb_file_per_table), so a rebuild would not give back its room");
        }
        return bytes;
    }
}
