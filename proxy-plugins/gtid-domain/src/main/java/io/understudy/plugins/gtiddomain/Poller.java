package io.understudy.plugins.gtiddomain;

import io.understudy.base.QueryFailures;
import io.understudy.plugin.Primary;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the primary, and says once when that fails. One run at a time, off the event loops. After a failed query the
 * tables keep their owners.
 */
final class Poller implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Poller.class);

    /** ER_UNKNOWN_SYSTEM_VARIABLE: MySQL has none of MariaDB's GTID variables. */
    private static final int UNKNOWN_VARIABLE = 1193;

    /** The work of a poll. */
    interface Task {
        /** Returns why no handover is possible at present, or null. */
        @Nullable
        String run(Connection primary) throws SQLException;
    }

    private final Primary primary;
    private final Runnable first;
    private final Runnable noDomains;
    private final Task task;
    private volatile @Nullable String problem;
    private volatile boolean stopped;

    private final QueryFailures failures;

    /**
     * @param unreachable whether a server that is queried does not respond, which its monitor has logged
     * @param first done in each run, also if the primary cannot be queried
     * @param noDomains called when the primary turns out to be a MySQL server; says so once
     */
    Poller(Primary primary, BooleanSupplier unreachable, Runnable first, Runnable noDomains, Task task) {
        this.failures = new QueryFailures(unreachable);
        this.primary = primary;
        this.first = first;
        this.noDomains = noDomains;
        this.task = task;
    }

    /** Returns why no handover is possible at present, or null. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Called before a running poll is interrupted, so that its failure is not reported. */
    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        try {
            first.run();
            report(poll());
        } catch (SQLException e) {
            if (e.getErrorCode() == UNKNOWN_VARIABLE) {
                problem = "the primary is a MySQL server, which has no GTID domains";
                noDomains.run();
                return;
            }
            report("the primary cannot be queried for its position: " + e.getMessage());
        } catch (RuntimeException e) {
            // An exception would end the schedule.
            report("probing positions failed: " + e);
        }
    }

    private @Nullable String poll() throws SQLException {
        DataSource source = primary.dataSource();
        if (source == null) {
            return "primary.monitor is not configured, so the guard never learns what standbys have applied";
        }
        try (Connection connection = source.getConnection()) {
            return task.run(connection);
        }
    }

    private void report(@Nullable String trouble) {
        if (stopped) {
            return;
        }
        problem = trouble;
        if (trouble == null) {
            if (failures.succeeded()) {
                log.info("gtid-domain: positions are known again");
            }
        } else if (failures.failed()) {
            log.warn("gtid-domain: {}; until that is over no table changes its domain", trouble);
        }
    }
}
