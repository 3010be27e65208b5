package io.understudy.rebuild;

import io.understudy.pages.Ask;
import io.understudy.pages.Product;
import java.sql.SQLException;

/** How large the copy of a running rebuild is by now. */
final class Copy {
    private final Standby standby;
    private boolean told = true;

    Copy(Standby standby) {
        this.standby = standby;
    }

    /** Returns bytes, or -1 where the server does not tell: MySQL needs SELECT on performance_schema for it. */
    long bytes() throws SQLException {
        if (!told) {
            return -1;
        }
        try {
            return standby.ask()
                    .number(
                            standby.product() == Product.MARIADB
                                    ? "SELECT SUM(FILE_SIZE) FROM "
                                            + standby.product().tablespaces() + " WHERE NAME LIKE '%/#sql%'"
                                    : "SELECT SUM(SUM_NUMBER_OF_BYTES_WRITE) FROM performance_schema.file_summary_by_instance"
                                            + " WHERE FILE_NAME LIKE '%/#sql-ib%.ibd'");
        } catch (SQLException e) {
            if (!Ask.denied(e)) {
                throw e;
            }
            told = false;
            return -1;
        }
    }
}
