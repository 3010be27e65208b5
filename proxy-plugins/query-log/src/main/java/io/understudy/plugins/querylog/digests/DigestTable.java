package io.understudy.plugins.querylog.digests;

import io.understudy.plugin.CommandView;
import io.understudy.sql.NotPure;
import io.understudy.sql.StatementSummary;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The figures of a bounded number of digests. A new digest takes the place of one that has not been seen for long, the
 * longest of a random few, whose count and time go to the sums of those evicted. Thread-safe; finding a known digest
 * takes no lock and allocates nothing.
 */
public final class DigestTable {
    private static final int CANDIDATES = 16;

    private final ConcurrentHashMap<DigestKey, DigestEntry> entries = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by {@code lock}. */
    private final List<DigestKey> keys = new ArrayList<>();

    private final AtomicInteger threads = new AtomicInteger();
    private final ThreadLocal<Integer> threadNumber = ThreadLocal.withInitial(threads::getAndIncrement);
    private final Clock clock;
    private final LongSupplier nanos;
    private final DigestEntry unknown;
    private final LongAdder evicted = new LongAdder();
    private final LongAdder evictedCount = new LongAdder();
    private final LongAdder evictedNanos = new LongAdder();
    private volatile int capacity;

    public DigestTable(int capacity, Clock clock, LongSupplier nanos) {
        this.capacity = capacity;
        this.clock = clock;
        this.nanos = nanos;
        this.unknown = new DigestEntry(null, null, clock.millis(), nanos.getAsLong());
    }

    /** Changes the number of digests; more than that are evicted at once. */
    public void capacity(int next) {
        capacity = next;
        lock.lock();
        try {
            while (keys.size() > next) {
                evict();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the calling thread's number, for the figures that it records: 0, 1, 2… in the order of the first calls.
     */
    public int threadNumber() {
        return threadNumber.get();
    }

    /**
     * Returns the entry of a statement. Called within {@code onCommand}.
     *
     * @param probe of the calling session
     */
    public DigestEntry of(CommandView command, DigestKey probe) {
        StatementSummary summary = command.summary();
        if (summary == null) {
            return unknown;
        }
        probe.set(summary.digest());
        DigestEntry known = entries.get(probe);
        return known == null ? add(command, summary) : known;
    }

    private DigestEntry add(CommandView command, StatementSummary summary) {
        DigestKey key = new DigestKey(summary.digest());
        // A value may be taken for a name where bytes are ambiguous.
        String text = summary.reason() == NotPure.CHARSET ? null : command.normalizedText();
        DigestEntry made = new DigestEntry(summary, text, clock.millis(), nanos.getAsLong());
        // Another session's thread holds the lock only as long as an insertion takes; rather count elsewhere than wait.
        if (!lock.tryLock()) {
            return unknown;
        }
        try {
            DigestEntry other = entries.get(key);
            if (other != null) {
                return other;
            }
            if (keys.size() >= capacity) {
                evict();
            }
            keys.add(key);
            entries.put(key, made);
            return made;
        } finally {
            lock.unlock();
        }
    }

    private void evict() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long now = nanos.getAsLong();
        int oldest = 0;
        long age = Long.MIN_VALUE;
        for (int i = 0; i < CANDIDATES; i++) {
            int at = random.nextInt(keys.size());
            DigestEntry entry = entries.get(keys.get(at));
            long unseen = entry == null ? Long.MAX_VALUE : now - entry.lastSeenNanos();
            if (unseen > age) {
                age = unseen;
                oldest = at;
            }
        }
        DigestKey last = keys.remove(keys.size() - 1);
        DigestKey victim = oldest == keys.size() ? last : keys.set(oldest, last);
        DigestEntry gone = entries.remove(victim);
        evicted.increment();
        if (gone != null) {
            evictedCount.add(gone.count());
            evictedNanos.add(gone.totalNanos());
        }
    }

    /** Returns the number of digests evicted so far. */
    public double evicted() {
        return evicted.sum();
    }

    long evictedCount() {
        return evictedCount.sum();
    }

    long evictedNanos() {
        return evictedNanos.sum();
    }

    int capacity() {
        return capacity;
    }

    long nowNanos() {
        return nanos.getAsLong();
    }

    long nowMillis() {
        return clock.millis();
    }

    List<DigestEntry> all() {
        return List.copyOf(entries.values());
    }

    /** Returns the entry of all statements whose text was too long, or that came at the moment of an eviction. */
    DigestEntry unknown() {
        return unknown;
    }
}
