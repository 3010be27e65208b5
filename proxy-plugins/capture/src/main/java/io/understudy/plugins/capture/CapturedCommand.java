package io.understudy.plugins.capture;

import io.understudy.plugin.HashedResult;
import io.understudy.plugin.PreparedStatement;
import io.understudy.protocol.CommandCode;
import org.jspecify.annotations.Nullable;

/**
 * One executed command on its way to the file, or the end of a session.
 *
 * @param code of the command
 * @param payload without the code
 * @param prepared what an execution runs, or null
 * @param types of the execution's parameters as known before it, or null
 * @param startNanos monotonic time of the first byte
 * @param nanos until the response's last byte
 * @param result hashes of the rows, or null if they were not asked for or there is no result
 * @param reset whether the client has reset the session since its command before
 */
record CapturedCommand(
        CapturedSession session,
        int code,
        byte[] payload,
        @Nullable PreparedStatement prepared,
        byte @Nullable [] types,
        long startNanos,
        long nanos,
        long rows,
        long affectedRows,
        int errorCode,
        @Nullable HashedResult result,
        boolean reset) {
    /** Roughly what a command takes beside its payload. */
    private static final int OVERHEAD = 200;

    /** Returns whether it is more than the end of a session. */
    boolean isStatement() {
        return code != CommandCode.QUIT;
    }

    int size() {
        return OVERHEAD + payload.length;
    }
}
