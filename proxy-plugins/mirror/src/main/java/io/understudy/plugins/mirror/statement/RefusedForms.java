package io.understudy.plugins.mirror.statement;

import io.understudy.base.RecentlyUsed;
import java.util.Map;

/**
 * Digests of statements that a standby refused in a form without rows, to be sent in their plain form for ten minutes.
 * Bounded: the one that was met longest ago is evicted. Thread-safe.
 */
public final class RefusedForms {
    private static final int MOST = 1000;
    private static final long KEPT_NANOS = 600_000_000_000L;

    private final Map<Long, Long> digests = new RecentlyUsed<>(MOST);
    private volatile boolean empty = true;

    public synchronized void add(long digest, long nowNanos) {
        digests.put(digest, nowNanos);
        empty = false;
    }

    public boolean contains(long digest, long nowNanos) {
        return !empty && refused(digest, nowNanos);
    }

    private synchronized boolean refused(long digest, long nowNanos) {
        Long since = digests.get(digest);
        return since != null && nowNanos - since < KEPT_NANOS;
    }
}
