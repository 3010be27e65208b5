package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.Positions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Statements that run on the primary when a guard begins: those of an earlier process, or of sessions that nobody
 * observed and whose clients are gone. The primary's position does not have them yet, so until they have ended the
 * default domain owns every table. Used by the poller; {@link #problem} is thread-safe.
 */
public final class EarlierStatements {
    /** Threads that execute a statement; a replica's own threads and those that send the binary log never end. */
    private static final String RUNNING = "SELECT CONCAT(ID, ':', QUERY_ID) FROM information_schema.PROCESSLIST"
            + " WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Sleep', 'Daemon', 'Connect', 'Binlog Dump')"
            + " AND COMMAND NOT LIKE 'Slave%' AND USER NOT IN ('system user', 'event_scheduler')";

    private final TableOwnership ownership;
    private @Nullable Set<String> running;
    private volatile int left;
    private boolean over;

    /** @param ownership grants nothing until they have ended */
    public EarlierStatements(TableOwnership ownership) {
        this.ownership = ownership;
        ownership.hold();
    }

    /** Returns why no table may change its domain; or null. */
    public @Nullable String problem() {
        int now = left;
        return now == 0 ? null : now + " statements that began before the guard still run on the primary";
    }

    /** Called at each poll. Without the PROCESS privilege other accounts' statements are not seen. */
    public void settle(Connection primary) throws SQLException {
        if (over) {
            return;
        }
        Set<String> now = Orphans.seesAllThreads(primary) ? running(primary) : Set.of();
        Set<String> earlier = running;
        if (earlier == null) {
            earlier = now;
            running = earlier;
        } else {
            earlier.retainAll(now);
        }
        left = earlier.size();
        if (earlier.isEmpty()) {
            over = true;
            ownership.free();
        }
    }

    private static Set<String> running(Connection primary) throws SQLException {
        Set<String> found = new HashSet<>();
        try (Statement statement = Positions.statement(primary);
                ResultSet rows = statement.executeQuery(RUNNING)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }
}
