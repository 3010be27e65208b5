package io.understudy.plugins.blackbox;

/**
 * A session that ended while a statement that may have committed was without an answer.
 *
 * @param nanos monotonic time of its end
 */
record InterruptedSession(long session, long thread, String user, long digest, long nanos) {}
