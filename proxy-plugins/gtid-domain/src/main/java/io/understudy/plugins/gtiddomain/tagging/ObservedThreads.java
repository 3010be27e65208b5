package io.understudy.plugins.gtiddomain.tagging;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The server's threads of the observed sessions. What they write was announced, so the binary log's text of it need not
 * be read. Those of ended sessions count until the log had time to show their last writes. Thread-safe.
 */
public final class ObservedThreads {
    private final Set<Long> open = ConcurrentHashMap.newKeySet();
    private volatile Set<Long> ended = ConcurrentHashMap.newKeySet();
    private volatile Set<Long> endedBefore = Set.of();

    void began(long serverThreadId) {
        open.add(serverThreadId);
    }

    void ended(long serverThreadId) {
        if (open.remove(serverThreadId)) {
            ended.add(serverThreadId);
        }
    }

    /** Called when the session goes on and is observed no more. */
    void lost(long serverThreadId) {
        open.remove(serverThreadId);
    }

    /** Called at each poll: forgets the threads of sessions that ended two polls ago. */
    public void forget() {
        endedBefore = ended;
        ended = ConcurrentHashMap.newKeySet();
    }

    public boolean contains(long serverThreadId) {
        return open.contains(serverThreadId) || ended.contains(serverThreadId) || endedBefore.contains(serverThreadId);
    }
}
