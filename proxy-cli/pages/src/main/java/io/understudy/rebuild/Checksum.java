package io.understudy.rebuild;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A table's checksum and the replication position of the standby before and after it was calculated. The checksum's
 * snapshot lies anywhere between the two.
 *
 * @param from the position that the standby had applied before; empty if it has none
 * @param to the same, after
 * @param unrepeatable why the server may return another value for the same rows, or null
 */
record Checksum(
        String value, String from, String to, @Nullable String unrepeatable) {

    static Checksum of(ServerQueries queries, boolean mariaDb, Subject subject) throws SQLException {
        String from = position(queries, mariaDb);
        String value = queries.rows("CHECKSUM TABLE " + subject.quoted(), row -> ServerQueries.text(row, 2))
                .get(0);
        return new Checksum(value, from, position(queries, mariaDb), unrepeatable(queries, mariaDb, subject));
    }

    /**
     * Returns why the server may calculate another value for the same rows, or null if it does not: MariaDB adds up
     * virtual columns and MySQL the hidden columns of multi-valued indexes without calculating them, so what their row
     * buffers held before (seen on 11.4 and 9.7).
     */
    private static @Nullable String unrepeatable(ServerQueries queries, boolean mariaDb, Subject subject)
            throws SQLException {
        String table = " WHERE TABLE_SCHEMA = " + Quoting.text(subject.schema()) + " AND TABLE_NAME = "
                + Quoting.text(subject.table());
        long such = queries.number(
                mariaDb
                        ? "SELECT COUNT(*) FROM information_schema.COLUMNS" + table
                                + " AND EXTRA LIKE '%VIRTUAL GENERATED%'"
                        : "SELECT COUNT(*) FROM information_schema.STATISTICS" + table
                                + " AND EXPRESSION LIKE '% array)%'");
        if (such == 0) {
            return null;
        }
        return mariaDb
                ? "MariaDB does not calculate virtual columns for CHECKSUM TABLE"
                : "MySQL does not calculate multi-valued indexes for CHECKSUM TABLE";
    }

    private static String position(ServerQueries queries, boolean mariaDb) throws SQLException {
        return queries.text(mariaDb ? "SELECT @@GLOBAL.gtid_slave_pos" : "SELECT @@GLOBAL.gtid_executed");
    }

    /** Compares this checksum, from before the rebuild, with the one from after it and returns the finding. */
    String against(Checksum after) {
        if (value.equals(after.value)) {
            return "equal";
        }
        if (unrepeatable != null) {
            return "not comparable, as " + unrepeatable;
        }
        if (from.isEmpty()) {
            return "not comparable, as without GTIDs nothing tells whether replication wrote meanwhile";
        }
        return from.equals(after.to) ? "DIFFERENT" : "not comparable, as replication wrote meanwhile";
    }
}
