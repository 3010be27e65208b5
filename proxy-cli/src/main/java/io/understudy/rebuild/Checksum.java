package io.understudy.rebuild;

import io.understudy.pages.Ask;
import io.understudy.pages.Product;
import java.sql.SQLException;

/**
 * A table's checksum and the replication position of the standby before and after it was calculated. The checksum's
 * snapshot lies anywhere between the two.
 *
 * @param from the position that the standby had applied before; empty if it has none
 * @param to the same, after
 */
record Checksum(String value, String from, String to) {

    static Checksum of(Ask ask, Product product, Subject subject) throws SQLException {
        String from = position(ask, product);
        String value = ask.rows("CHECKSUM TABLE " + subject.quoted(), row -> Ask.text(row, 2))
                .get(0);
        return new Checksum(value, from, position(ask, product));
    }

    private static String position(Ask ask, Product product) throws SQLException {
        return ask.text(
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
