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
 */
record Checksum(String value, String from, String to) {

    static Checksum of(ServerQueries queries, Product product, Subject subject) throws SQLException {
        String from = position(queries, product);
        String value = queries.rows("CHECKSUM TABLE " + subject.quoted(), row -> ServerQueries.text(row, 2))
                .get(0);
        return new Checksum(value, from, position(queries, product));
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
        if (from.isEmpty()) {
            return "not comparable, as without GTIDs nothing tells whether replication wrote meanwhile";
        }
        return from.equals(after.to) ? "DIFFERENT" : "not comparable, as replication wrote meanwhile";
    }
}
