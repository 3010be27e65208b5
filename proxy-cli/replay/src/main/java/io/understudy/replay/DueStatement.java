package io.understudy.replay;

import io.understudy.replay.log.LogEvent;

/**
 * A statement that waits to be played.
 *
 * @param position in the log
 * @param dueNanos monotonic time at which to send it
 * @param cost its share of what may wait
 */
record DueStatement(LogEvent event, long position, long dueNanos, int cost) {
    long session() {
        return event.threadId();
    }
}
