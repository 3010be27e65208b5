package io.understudy.plugins.mirror.playback;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.mirror.statement.StatementSetting;
import io.understudy.sql.ParameterValues;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one copy of a statement on its way to the standbys: the client's packet and the session state that gives it its
 * meaning. Reference-counted with its buffer: each queue holds one reference.
 *
 * @param packet the client's packet, header included
 * @param longData the client's COM_STMT_SEND_LONG_DATA packets that precede it, headers included, or null
 * @param prepared the prepared statement that is executed, or null for a text statement
 * @param parameterTypes as they were when the client executed it, or null
 * @param setting schema and settings of the session
 * @param tables that it reads, with their schemas
 * @param rule the rule that selected it
 * @param sessionId for order within a session
 * @param only the product whose built-in functions it calls, or null if it means the same on both
 * @param summary of the statement, or null if it is not known
 * @param lookup whether it is the look-up of a write, which the client did not send in this form
 * @param digest of the statement, for the comparison of times
 * @param primaryNanos execution time on the primary; 0 before its response
 * @param queuedNanos monotonic time at which it was queued; 0 before the response
 */
public record MirroredStatement(
        ByteBuf packet,
        byte @Nullable [] longData,
        @Nullable PreparedStatement prepared,
        byte @Nullable [] parameterTypes,
        StatementSetting setting,
        List<TableName> tables,
        MirrorRules.Bound rule,
        long sessionId,
        @Nullable ServerFlavor only,
        @Nullable StatementSummary summary,
        boolean lookup,
        long digest,
        long primaryNanos,
        long queuedNanos) {

    private static final int TEXT_AT = 5; // after the header and the command code

    /** Returns the same when the primary has responded. */
    public MirroredStatement responded(long nanos, long now) {
        return new MirroredStatement(
                packet,
                longData,
                prepared,
                parameterTypes,
                setting,
                tables,
                rule,
                sessionId,
                only,
                summary,
                lookup,
                digest,
                nanos,
                now);
    }

    int bytes() {
        return packet.readableBytes() + (longData == null ? 0 : longData.length);
    }

    /** Returns whether it is a plain SELECT, which a standby can execute without returning its rows. */
    public boolean isSelect() {
        return isSelect(summary);
    }

    public static boolean isSelect(@Nullable StatementSummary summary) {
        return summary != null
                && summary.kind() == StatementKind.SELECT
                && !summary.reads().isEmpty();
    }

    /** Returns whether its page reads may be counted: those of a look-up are not those of a SELECT of the load. */
    public boolean mayBeProbe() {
        return isSelect() && !lookup;
    }

    /** Returns the text of a text statement. Allocates. */
    byte[] text() {
        byte[] text = new byte[packet.readableBytes() - TEXT_AT];
        packet.getBytes(packet.readerIndex() + TEXT_AT, text);
        return text;
    }

    /**
     * Returns the text that is executed, without the values of an execution; null if it is not known, or values are not
     * in the packet. Allocates.
     */
    public byte @Nullable [] sql() {
        return prepared == null ? text() : longData == null ? prepared.text() : null;
    }

    /** Returns the values of an execution; null for a text statement. Allocates. */
    @Nullable
    public ParameterValues values() {
        if (prepared == null) {
            return null;
        }
        byte[] bytes = new byte[packet.readableBytes()];
        packet.getBytes(packet.readerIndex(), bytes);
        return new ParameterValues(bytes, Math.max(0, prepared.parameters()), parameterTypes);
    }

    void retain() {
        packet.retain();
    }

    void release() {
        packet.release();
    }
}
