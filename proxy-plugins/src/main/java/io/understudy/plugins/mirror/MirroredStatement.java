package io.understudy.plugins.mirror;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ServerFlavor;
import org.jspecify.annotations.Nullable;

/**
 * The one copy of a statement on its way to the standbys: the client's packet and what gives it its meaning. Counted by
 * references like its buffer: each queue holds one.
 *
 * @param packet the client's packet, header included
 * @param longData the client's COM_STMT_SEND_LONG_DATA packets that belong before it, headers included, or null
 * @param prepared what an execution executes, or null for a text statement
 * @param parameterTypes as they were when the client executed, or null
 * @param setting schema and settings of the session
 * @param rule that chose it
 * @param sessionId for order within a session
 * @param only the product whose built-in functions it calls, or null when it means the same on both
 * @param digest of the statement, for the comparison of times
 * @param primaryNanos how long the primary took
 * @param queuedNanos monotonic time at which it was queued
 */
record MirroredStatement(
        ByteBuf packet,
        byte @Nullable [] longData,
        @Nullable PreparedStatement prepared,
        byte @Nullable [] parameterTypes,
        StatementSetting setting,
        MirrorRules.Bound rule,
        long sessionId,
        @Nullable ServerFlavor only,
        long digest,
        long primaryNanos,
        long queuedNanos) {

    int bytes() {
        return packet.readableBytes() + (longData == null ? 0 : longData.length);
    }

    void retain() {
        packet.retain();
    }

    void release() {
        packet.release();
    }
}
