package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pending writes of sessions that ended before them. The server may finish a statement whose client is gone, a long
 * ALTER for instance, so they are released only when the server's thread has ended. Any thread may add some; the poller
 * settles them.
 */
public final class Orphans {
    private static final int MAX_WAITING = 10_000;

    private record Orphan(long serverThreadId, List<PendingWrite> pendingWrites) {}

    private final ConcurrentLinkedQueue<Orphan> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final List<Orphan> waiting = new ArrayList<>();

    /** Takes the pending writes of a session that ended before they did. */
    public void take(long serverThreadId, List<PendingWrite> pendingWrites) {
        if (count.incrementAndGet() <= MAX_WAITING) {
            arrived.add(new Orphan(serverThreadId, pendingWrites));
        }
        // Beyond that they are never released: their tables stay in their domain, which costs speed but is safe.
    }

    /** Returns the thread ids to check. Called by the poller only. */
    public Collection<Long> threads() {
        for (Orphan orphan = arrived.poll(); orphan != null; orphan = arrived.poll()) {
            waiting.add(orphan);
        }
        return waiting.stream().map(Orphan::serverThreadId).toList();
    }

    /**
     * Releases the writes of threads that the server has ended. Called by the poller only. Without the PROCESS
     * privilege other accounts' threads are invisible, which must not count as their end.
     */
    public void settle(Connection primary) throws SQLException {
        if (threads().isEmpty() || !seesAllThreads(primary)) {
            return;
        }
        Set<Long> alive = new HashSet<>(ServerQueries.brief(primary)
                .rows("SELECT ID FROM information_schema.PROCESSLIST", row -> row.getLong(1)));
        settle(alive);
    }

    /** SUPER does not suffice, not even on MariaDB 10.11. */
    static boolean seesAllThreads(Connection primary) throws SQLException {
        return ServerQueries.brief(primary).ownPrivileges().contains("PROCESS");
    }

    /** Releases the writes of all threads but those still alive. Called by the poller only. */
    public void settle(Set<Long> alive) {
        waiting.removeIf(orphan -> {
            if (alive.contains(orphan.serverThreadId())) {
                return false;
            }
            orphan.pendingWrites().forEach(PendingWrite::release);
            count.decrementAndGet();
            return true;
        });
    }

    public int size() {
        return count.get();
    }
}
