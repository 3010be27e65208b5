package io.understudy.rebuild;

/**
 * How busy a standby is.
 *
 * @param lagSeconds of the channel that is furthest behind; -1 while one does not run
 * @param threadsRunning {@code Threads_running}
 */
record Load(long lagSeconds, long threadsRunning) {}
