package io.understudy.plugin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.sql.Lookup;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/**
 * A command, borrowed: valid until the callback returns. Values are computed on request. {@link #text} and
 * {@link #copyPacket} need the packet's bytes, which only the callbacks before {@code onResponse} have; a
 * {@link #summary} computed there is still available in {@code onResponse}.
 */
public interface CommandView {
    /** Returns the first byte of the packet, see {@code io.understudy.protocol.CommandCode}. */
    int code();

    /** Returns the number of the command in its session, from 1. */
    long number();

    /**
     * Returns the length of the command's payload in bytes, code included; of a command in several packets, that of the
     * first.
     */
    int payloadLength();

    /** Returns whether the command runs a statement: COM_QUERY, COM_STMT_EXECUTE or COM_STMT_BULK_EXECUTE. */
    boolean isStatement();

    /**
     * Returns the kind of the statement; for an execution, that of the prepared text. It is determined by the first
     * keyword, and by the second after {@code START}, {@code ROLLBACK}, {@code XA} and the like.
     *
     * @return {@link StatementKind#UNKNOWN} when not known
     */
    StatementKind kind();

    /**
     * Returns the kind of the statement that is executed: with {@code SET STATEMENT … FOR}, of the one after FOR. Of
     * several statements it is the kind of the first word, so SET if they begin with {@code SET STATEMENT … FOR}.
     */
    static StatementKind runs(CommandView command) {
        StatementKind kind = command.kind();
        StatementSummary summary = kind == StatementKind.SET ? command.summary() : null;
        return summary == null || summary.kind() != StatementKind.SET ? kind : summary.runs();
    }

    /**
     * Returns the analysis of the statement, cached by digest, or null when the text is not known, incomplete or too
     * long.
     */
    @Nullable
    StatementSummary summary();

    /** Returns the statement's text, or null when it is not known. Allocates. */
    @Nullable
    String text();

    /** Returns the normalised text with {@code ?} for literals, or null when the text is not known. Allocates. */
    @Nullable
    String normalizedText();

    /**
     * Returns the name that the client gives its transaction with this statement: in a comment of its own at the begin
     * or end of the text, <code>/* understudy:txn=NAME *&#47;</code>, or as the query attribute {@code understudy_txn}.
     * Available in {@code onCommand}; allocates only where there is one.
     */
    default @Nullable String transactionToken() {
        return null;
    }

    /**
     * Returns a pure read of the rows that a COM_QUERY with an UPDATE, a DELETE or a locking read selects; null when
     * the command is none or the read is not certain. Allocates.
     */
    default @Nullable Lookup lookup() {
        return null;
    }

    /** Returns whether the text may hold several statements; {@link #kind} is that of the first. */
    default boolean several() {
        return false;
    }

    /** Returns the prepared statement that an execution runs, or null. The object remains valid after the callback. */
    @Nullable
    PreparedStatement prepared();

    /**
     * Returns whether all bytes of the command were seen: it came in one packet, no longer than the inspection limit.
     */
    boolean complete();

    /**
     * Returns a copy of the client's packet with its 4-byte header, ready to send to another server. The copy has no
     * query attributes. The caller owns the buffer and releases it.
     *
     * @return null when the query attributes cannot be separated from the statement
     * @throws IllegalStateException when the command is not {@link #complete} or the callback is {@code onResponse}
     */
    @Nullable
    ByteBuf copyPacket(ByteBufAllocator alloc);

    /** Returns the monotonic time, in nanoseconds, at which the first byte was read from the client. */
    long receivedNanos();

    /**
     * Returns whether the session was in a transaction before the command. Until its response that is the state when it
     * was sent, which commands sent ahead of responses may change.
     */
    boolean inTransactionBefore();

    /** Returns whether the transaction had written before this command, judged by the kinds of its statements. */
    boolean wroteInTransactionBefore();

    /**
     * Keeps an object of the calling observer with this command until its response is complete. What was decided ahead
     * of the command, in {@link SessionObserver#chooseVariables}, is still attached in {@code onCommand}.
     */
    void attach(@Nullable Object attachment);

    /**
     * Shows the rows of the response to {@code watcher}. Must be called in {@code onCommand}, by an observer with
     * {@link Interest#ROWS}. A watcher that throws ends its observer.
     *
     * @return false when another observer watches them already
     */
    boolean watchRows(RowWatcher watcher);

    /** Returns the object that the calling observer attached to this command, or null. */
    @Nullable
    Object attachment();
}
