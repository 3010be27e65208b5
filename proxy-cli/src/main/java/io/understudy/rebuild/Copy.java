package io.understudy.rebuild;

import io.understudy.pages.Product;
import io.understudy.pages.ServerQueries;
import java.sql.SQLException;

/** Measures the copy that a running rebuild is building. */
final class Copy {
    private final Standby standby;
    private boolean told = true;

    Copy(Standby standby) {
        this.standby = standby;
    }

    /** Returns the size of the copy in bytes, or -1 if unknown: MySQL requires SELECT on performance_schema. */
    long bytes() throws SQLException {
        if (!told) {
            return -1;
        }
        try {
            return standby.queries()
                    .number(
                            standby.product() == Product.MARIADB
                                    ? "SELECT SUM(FILE_SIZE) FROM "
                                            + standby.product().tablespaces() + " WHERE NAME LIKE '%/#sql%'"
                                    : "SELECT SUM(SUM_NUMBER_OF_BYTES_WRITE) FROM"
                                            + " performance_schema.file_summary_by_instance"
                                            + " WHERE FILE_NAME LIKE '%/#sql-ib%.ibd'");
        } catch (SQLException e) {
            if (!ServerQueries.denied(e)) {
                throw e;
            }
            told = false;
            return -1;
        }
    }
}
