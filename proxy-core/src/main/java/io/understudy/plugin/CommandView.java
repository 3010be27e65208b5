package io.understudy.plugin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/**
 * A command, borrowed for the length of a callback. Nothing is computed until asked for, and what was asked for in {@code
 * onCommand} is still known in {@code onResponse}; text and packet are there only in {@code beforeCommand} and {@code
 * onCommand}.
 */
public interface CommandView {
    /** First byte of the packet, see {@code io.understudy.wire.CommandCode}. */
    int code();

    /** Number of the command in its session, from 1. */
    long number();

    /** Bytes of the command's payload in all, code included (for a command of several packets: of the first). */
    int payloadLength();

    /** A statement to run (COM_QUERY, COM_STMT_EXECUTE, bulk execute) as opposed to any other command. */
    boolean isStatement();

    /**
     * Kind by the first keyword, and the one after it where that decides ({@code START}, {@code ROLLBACK}, {@code XA}); of the prepared
     * text for an execution; {@link StatementKind#UNKNOWN} when not known.
     */
    StatementKind kind();

    /** Full analysis, cached by digest; null when the text is not known, cut or too long. */
    @Nullable
    StatementSummary summary();

    /** The statement as text; null when it is not known. Allocates. */
    @Nullable
    String text();

    /** Normalised text, literals as {@code ?}; null when the text is not known. Allocates. */
    @Nullable
    String normalizedText();

    /** The prepared statement that an execution runs, or null. Valid beyond the callback. */
    @Nullable
    PreparedStatement prepared();

    /** All bytes of the command were seen: it came in one packet, no longer than the inspection limit. */
    boolean complete();

    /**
     * A copy of the client's packet with its 4-byte header, ready to be sent elsewhere. Query attributes are left out; null
     * when they cannot be told from the rest.
     *
     * @throws IllegalStateException when the command is not {@link #complete} or the callback is {@code onResponse}
     */
    @Nullable
    ByteBuf copyPacket(ByteBufAllocator alloc);

    /** Monotonic time at which the first byte was read from the client, nanoseconds. */
    long receivedNanos();

    /** The session was in a transaction when the command was sent. */
    boolean inTransactionBefore();

    /** The transaction had written before this command, as far as the statements' kinds tell. */
    boolean wroteInTransactionBefore();

    /** Keeps an object of the calling observer with this command until its answer is over. */
    void attach(@Nullable Object attachment);

    @Nullable
    Object attachment();
}
