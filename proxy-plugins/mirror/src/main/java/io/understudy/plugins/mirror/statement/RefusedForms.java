package io.understudy.plugins.mirror.statement;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Digests of statements that a standby refused in a form without rows, to be sent in their plain form for ten minutes.
 * Bounded: the oldest is evicted. Thread-safe.
 */
public final class RefusedForms {
    private static final int MOST = 1000;
    private static final long KEPT_NANOS = 600_000_000_000L;

    private final Map<Long, Long> digests = new LinkedHashMap<>();
    private volatile boolean empty = true;

    public synchronized void add(long digest, long nowNanos) {
        digests.remove(digest);
        digests.put(digest, nowNanos);
        if (digests.size() > MOST) {
            var oldest = digests.entrySet().iterator();
            oldest.next();
            oldest.remove();
        }
        empty = false;
    }

    public boolean contains(long digest, long nowNanos) {
        return !empty && refused(digest, nowNanos);
    }

    private synchronized boolean refused(long digest, long nowNanos) {
        Long since = digests.get(digest);
        if (since == null) {
            return false;
        }
        if (nowNanos - since < KEPT_NANOS) {
            return true;
        }
        digests.remove(digest);
        empty = digests.isEmpty();
        return false;
    }
}
