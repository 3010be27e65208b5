package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Statements that run on the primary when a guard begins, and transactions that are open there and have written: those
 * of an earlier process, of sessions that nobody observed, of direct clients, and of sessions that did not announce
 * their writes before a reload. The primary's position does not have them yet, so until they have ended the default
 * domain owns every table. Used by the poller; {@link #problem} is thread-safe.
 */
public final class EarlierStatements {
    private static final Logger log = LoggerFactory.getLogger(EarlierStatements.class);

    /** Threads that execute a statement; a replica's own threads and those that send the binary log never end. */
    private static final String RUNNING = "SELECT CONCAT(ID, ':', QUERY_ID), ID FROM information_schema.PROCESSLIST"
            + " WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Sleep', 'Daemon', 'Connect', 'Binlog Dump')"
            + " AND COMMAND NOT LIKE 'Slave%' AND USER NOT IN ('system user', 'event_scheduler')";

    /**
     * Transactions with writes, by a number that lasts as long as they do. A session announces what it writes from now
     * on, so a transaction that has only read is not waited for. One that XA has prepared outlives its connection; then
     * its thread is 0.
     */
    private static final String OPEN =
            "SELECT trx_id, trx_mysql_thread_id FROM information_schema.INNODB_TRX WHERE trx_rows_modified > 0";

    /**
     * Also longer than the 0.1 s that InnoDB's copy of its transactions must rest between two readers: it is never
     * renewed for one that reads more often.
     */
    private static final long PAUSE_NANOS = 250_000_000L;

    private static final int MOST_NAMED = 5;

    private final TableOwnership ownership;
    private final LongSupplier nanos;
    /** The threads of those that are left, by identity; null before the first query. */
    private @Nullable Map<String, Long> earlier;

    private long nextQuery;
    private boolean over;
    private volatile @Nullable String problem;

    /**
     * Holds an ownership before it is used.
     *
     * @param ownership grants nothing until they have ended
     * @param reloaded whether sessions may just be sending what they decided before: they are given time to do so
     */
    public EarlierStatements(TableOwnership ownership, boolean reloaded, LongSupplier nanos) {
        this.ownership = ownership;
        this.nanos = nanos;
        nextQuery = nanos.getAsLong() + (reloaded ? PAUSE_NANOS : 0);
        ownership.inheritance.hold();
    }

    /** Returns why no table may change its domain; or null. */
    public @Nullable String problem() {
        return problem;
    }

    /** Called at each poll. Without the PROCESS privilege other accounts' statements are not seen. */
    public void settle(Connection primary) throws SQLException {
        long now = nanos.getAsLong();
        if (over || now - nextQuery < 0) {
            return;
        }
        nextQuery = now + PAUSE_NANOS;
        Map<String, Long> left = Map.of();
        if (Orphans.seesAllThreads(primary)) {
            // In this order: a transaction whose statement ends in between has written by then.
            Map<String, Long> running = query(primary, RUNNING);
            left = left(running, query(primary, OPEN));
        } else {
            log.warn("gtid-domain: the account of primary.monitor lacks PROCESS, so statements and open transactions"
                    + " that began before the guard are not waited for");
        }
        earlier = left;
        problem = left.isEmpty() ? null : text(left);
        if (left.isEmpty()) {
            over = true;
            ownership.inheritance.free();
        }
    }

    private Map<String, Long> left(Map<String, Long> running, Map<String, Long> open) {
        Map<String, Long> before = earlier;
        Map<String, Long> left = new HashMap<>();
        if (before == null) {
            left.putAll(running);
            left.putAll(open);
            return left;
        }
        before.forEach((identity, thread) -> {
            if (running.containsKey(identity) || open.containsKey(identity)) {
                left.put(identity, thread);
            } else if (isStatement(identity)) {
                // Its first write may have left a transaction open.
                open.forEach((transaction, of) -> {
                    if (of.equals(thread)) {
                        left.put(transaction, of);
                    }
                });
            }
        });
        return left;
    }

    private static boolean isStatement(String identity) {
        return identity.indexOf(':') >= 0;
    }

    private static String text(Map<String, Long> left) {
        TreeSet<Long> threads = new TreeSet<>(left.values());
        List<String> parts = new ArrayList<>();
        if (threads.remove(0L)) {
            parts.add(" some that XA RECOVER lists");
        }
        threads.stream().limit(MOST_NAMED).forEach(thread -> parts.add(" of thread " + thread));
        if (threads.size() > MOST_NAMED) {
            parts.add(" and of " + (threads.size() - MOST_NAMED) + " more threads");
        }
        return "statements or transactions that began before the guard have not ended on the primary:"
                + String.join(",", parts);
    }

    private static Map<String, Long> query(Connection primary, String sql) throws SQLException {
        Map<String, Long> found = new HashMap<>();
        ServerQueries.brief(primary).each(sql, row -> found.put(row.getString(1), row.getLong(2)));
        return found;
    }
}
