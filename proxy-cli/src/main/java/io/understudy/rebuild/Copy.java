package io.understudy.rebuild;

import io.understudy.pages.Product;
import io.understudy.pages.ServerQueries;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

/** Measures the copy that a running rebuild is building. */
final class Copy {
    private final StandbyQueries standby;
    private final Set<Long> spaces = new HashSet<>();
    private boolean told = true;

    Copy(StandbyQueries standby) {
        this.standby = standby;
    }

    /** Returns the tablespaces of all copies that were seen, also of other tables. */
    Set<Long> spaces() {
        return spaces;
    }

    /** Returns the size of the copy in bytes, or -1 if unknown: MySQL requires SELECT on performance_schema. */
    long bytes() throws SQLException {
        long sum = standby
                .queries()
                .rows(
                        "SELECT SPACE, FILE_SIZE FROM " + standby.product().tablespaces()
                                + " WHERE NAME LIKE '%/#sql%'",
                        row -> {
                            spaces.add(row.getLong(1));
                            return row.getLong(2);
                        })
                .stream()
                .mapToLong(Long::longValue)
                .sum();
        return standby.product() == Product.MARIADB ? sum : written();
    }

    /** Returns the bytes that MySQL wrote to the copy: its view of tablespaces tells no size of it. */
    private long written() throws SQLException {
        if (!told) {
            return -1;
        }
        try {
            return standby.queries()
                    .number("SELECT SUM(SUM_NUMBER_OF_BYTES_WRITE) FROM"
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
