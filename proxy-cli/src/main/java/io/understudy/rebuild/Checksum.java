package io.understudy.rebuild;

import io.understudy.pages.Product;
import io.understudy.pages.ServerQueries;
import java.sql.SQLException;

/**
 * A table's checksum and the replication position of the standby before and after it was calculated. The checksum's
 * snapshot lies anywhere between the two.
 *
 * @param from the position that the standby had applied before; empty if it has none
 * @param to the same, after
 * @param repeatable whether the server returns the same value for the same rows
 */
record Checksum(String value, String from, String to, boolean repeatable) {

    static Checksum of(ServerQueries queries, Product product, Subject subject) throws SQLException {
        String from = position(queries, product);
        String value = queries.rows("CHECKSUM TABLE " + subject.quoted(), row -> ServerQueries.text(row, 2))
                .get(0);
        return new Checksum(value, from, position(queries, product), repeatable(queries, product, subject));
    }

    /** MariaDB adds up virtual columns without calculating them: what its row buffer held before. */
    private static boolean repeatable(ServerQueries queries, Product product, Subject subject) throws SQLException {
        return product != Product.MARIADB
                || queries.number("SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = "
                                + ServerQueries.quote(subject.schema()) + " AND TABLE_NAME = "
                                + ServerQueries.quote(subject.table()) + " AND EXTRA LIKE '%VIRTUAL GENERATED%'")
                        == 0;
    }

    private static String position(ServerQueries queries, Product product) throws SQLException {
        return queries.text(
                product == Product.MARIADB ? "SELECT @@GLOBAL.gtid_slave_pos" : "SELECT @@GLOBAL.gtid_executed");
    }

    /** Compares this checksum, from before the rebuild, with the one from after it and returns the finding. */
    String against(Checksum after) {
        if (value.equals(after.value)) {
            return "equal";
        }
        if (!repeatable) {
            return "not comparable, as MariaDB does not calculate virtual columns for CHECKSUM TABLE";
        }
        if (from.isEmpty()) {
            return "not comparable, as without GTIDs nothing tells whether replication wrote meanwhile";
        }
        return from.equals(after.to) ? "DIFFERENT" : "not comparable, as replication wrote meanwhile";
    }
}
