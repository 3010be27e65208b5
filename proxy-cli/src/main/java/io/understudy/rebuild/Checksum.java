package io.understudy.rebuild;

import io.understudy.pages.Ask;
import io.understudy.pages.Product;
import java.sql.SQLException;

/**
 * A table's checksum and how far the standby had applied the primary's transactions then.
 *
 * @param position after the checksum was made
 */
record Checksum(String value, String position) {

    static Checksum of(Standby standby, Subject subject) throws SQLException {
        String value = standby.ask()
                .rows("CHECKSUM TABLE " + subject.quoted(), row -> Ask.text(row, 2))
                .get(0);
        String position = standby.ask()
                .text(
                        standby.product() == Product.MARIADB
                                ? "SELECT @@GLOBAL.gtid_slave_pos"
                                : "SELECT @@GLOBAL.gtid_executed");
        return new Checksum(value, position);
    }

    /** What this one, from before the rebuild, and the one from after it say. */
    String against(Checksum after) {
        if (value.equals(after.value)) {
            return "equal";
        }
        return position.equals(after.position) ? "DIFFERENT" : "not comparable, as replication wrote meanwhile";
    }
}
