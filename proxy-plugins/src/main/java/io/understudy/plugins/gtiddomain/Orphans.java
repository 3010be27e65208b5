package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Claims of sessions that ended while something of theirs was open. The server may finish a statement whose client is gone,
 * a long ALTER for instance, so they are released only when the server's thread is. Any thread may hand some in; the
 * poller settles them.
 */
final class Orphans implements DomainObserver.Orphanage {
    private static final int MAX_WAITING = 10_000;

    private record Orphan(long serverThreadId, List<Claim> claims) {}

    private final ConcurrentLinkedQueue<Orphan> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final List<Orphan> waiting = new ArrayList<>();

    @Override
    public void take(long serverThreadId, List<Claim> claims) {
        if (count.incrementAndGet() <= MAX_WAITING) {
            arrived.add(new Orphan(serverThreadId, claims));
        }
        // Beyond, the claims are kept for good: their tables stay where they are, which costs speed and not safety.
    }

    /** Thread ids that the poller has to look for; poller only. */
    Collection<Long> threads() {
        for (Orphan orphan = arrived.poll(); orphan != null; orphan = arrived.poll()) {
            waiting.add(orphan);
        }
        return waiting.stream().map(Orphan::serverThreadId).toList();
    }

    /** Releases the claims of all threads but those that are still alive; poller only. */
    void settle(Set<Long> alive) {
        waiting.removeIf(orphan -> {
            if (alive.contains(orphan.serverThreadId())) {
                return false;
            }
            orphan.claims().forEach(Claim::release);
            count.decrementAndGet();
            return true;
        });
    }

    int size() {
        return count.get();
    }
}
