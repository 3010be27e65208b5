package io.understudy.rebuild;

import io.understudy.pages.Ask;
import io.understudy.pages.Product;
import java.sql.SQLException;

/**
 * A table's checksum and the replication position of the standby at that time.
 *
 * @param position the position that the standby had applied after the checksum was calculated
 */
record Checksum(String value, String position) {

    static Checksum of(Ask ask, Product product, Subject subject) throws SQLException {
        String value = ask.rows("CHECKSUM TABLE " + subject.quoted(), row -> Ask.text(row, 2))
                .get(0);
        String position = ask.text(
                product == Product.MARIADB ? "SELECT @@GLOBAL.gtid_slave_pos" : "SELECT @@GLOBAL.gtid_executed");
        return new Checksum(value, position);
    }

    /** Compares this checksum, from before the rebuild, with the one from after it and returns the finding. */
    String against(Checksum after) {
        if (value.equals(after.value)) {
            return "equal";
        }
        return position.equals(after.position) ? "DIFFERENT" : "not comparable, as replication wrote meanwhile";
    }
}
