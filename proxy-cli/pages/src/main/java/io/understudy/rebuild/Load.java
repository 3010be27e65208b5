package io.understudy.rebuild;

/**
 * The load of a standby.
 *
 * @param lagSeconds lag of the channel that is furthest behind; -1 if a channel is not running
 * @param threadsRunning {@code Threads_running}
 * @param readOnly whether it is read-only still
 * @param replica whether it replicates from a server still, running or not
 */
record Load(long lagSeconds, long threadsRunning, boolean readOnly, boolean replica) {}
