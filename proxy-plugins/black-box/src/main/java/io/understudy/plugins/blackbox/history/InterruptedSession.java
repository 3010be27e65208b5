package io.understudy.plugins.blackbox.history;

/**
 * A session that ended before the response to a statement that may have committed.
 *
 * @param nanos monotonic time of its end
 */
public record InterruptedSession(long session, long thread, String user, long digest, long nanos) {}
