package io.understudy.rebuild;

import java.sql.SQLException;
import java.util.Locale;

/**
 * The room in MariaDB's redo log, which takes a rebuild's copy too. When it is full, every write on the server waits
 * while pages are flushed, so the applier lags. MySQL builds the copy without redo.
 */
final class RedoLog {
    private static final long MIB = 1 << 20;
    /** The server keeps a part of the log free, and the next table's copy comes soon. */
    private static final int SPARE = 2;

    private RedoLog() {}

    /**
     * Returns a warning if the copy of a table may not fit into the log, or an empty text. The server has no such
     * counters if it is MySQL or an old MariaDB.
     *
     * @param copyBytes the largest size of the copy
     */
    static String warning(StandbyQueries standby, long copyBytes) throws SQLException {
        long most = standby.queries().status("Innodb_checkpoint_max_age");
        long free = most - standby.queries().status("Innodb_checkpoint_age");
        return most <= 0 || copyBytes <= free
                ? ""
                : String.format(
                        Locale.ROOT,
                        "the copy may write %,d MiB of redo log, of which %,d MiB are free: when it is full, all writes"
                                + " on the standby wait for pages to be flushed, and it lags; a larger log prevents"
                                + " that: SET GLOBAL innodb_log_file_size = %d (before MariaDB 10.9: in its"
                                + " configuration)",
                        mib(copyBytes),
                        Math.max(0, free / MIB),
                        MIB * SPARE * mib(copyBytes));
    }

    private static long mib(long bytes) {
        return (bytes + MIB - 1) / MIB;
    }
}
