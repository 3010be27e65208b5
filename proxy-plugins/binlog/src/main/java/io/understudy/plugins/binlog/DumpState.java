package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerConnection;

/**
 * How far an attempt to read the binary log has come. Each state may be the last before {@code Ended}:
 *
 * <pre>
 * Begun → Opened → Reading → Ended
 * </pre>
 */
sealed interface DumpState {
    /** Waits for the end of a pause, queries the primary, or connects. */
    record Begun() implements DumpState {}

    /** Executes the statements before the dump command. */
    record Opened(ServerConnection on) implements DumpState {}

    /** Has requested its stream. */
    record Reading(ServerConnection on, BinlogStream stream) implements DumpState {}

    /** Its connection is closed. */
    record Ended() implements DumpState {}
}
