package io.understudy.rebuild;

import io.understudy.pages.InnodbNames;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures the copy that a running rebuild is building. The view of tablespaces costs the server time for each table
 * that it has, so it is read once a second at most.
 */
final class Copy {
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StandbyQueries standby;
    private final Set<Long> spaces = new HashSet<>();
    private final LongSupplier clock;
    private boolean told = true;
    private boolean measured;
    private long measuredNanos;
    private long bytes;

    /** @param clock returns the time in nanoseconds */
    Copy(StandbyQueries standby, LongSupplier clock) {
        this.standby = standby;
        this.clock = clock;
    }

    /** Returns the tablespaces of all copies that were seen, also of other tables. */
    Set<Long> spaces() {
        return spaces;
    }

    /**
     * Returns the size of the copy in bytes as of at most a second ago, or -1 if unknown: MySQL requires SELECT on
     * performance_schema.
     */
    long bytes() throws SQLException {
        if (!measured || clock.getAsLong() - measuredNanos >= EVERY_NANOS) {
            bytes = measure();
            measured = true;
            measuredNanos = clock.getAsLong();
        }
        return bytes;
    }

    private long measure() throws SQLException {
        long sum = standby
                .queries()
                .rows(
                        "SELECT SPACE, FILE_SIZE FROM "
                                + InnodbNames.of(standby.queries()).tablespaces()
                                + " WHERE NAME LIKE '%/#sql%' OR NAME LIKE '%#P#%#TMP#'",
                        row -> {
                            spaces.add(row.getLong(1));
                            return row.getLong(2);
                        })
                .stream()
                .mapToLong(Long::longValue)
                .sum();
        return standby.queries().isMariaDb() ? sum : written();
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
                            + " WHERE FILE_NAME LIKE '%/#sql-ib%.ibd' OR FILE_NAME LIKE '%#p#%#tmp.ibd'");
        } catch (SQLException e) {
            if (!ServerQueries.denied(e)) {
                throw e;
            }
            told = false;
            return -1;
        }
    }
}
