package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;

/**
 * Receives the bytes of a transaction's events, before {@link BinlogListener#onTransaction} reports the transaction.
 * Events outside transactions are not passed on. Called on the dump connection's event loop: must not block.
 */
public interface BinlogEvents {
    /**
     * Passes the format description event of the events that follow. Called when the stream starts or the subscriber
     * joins, and again with each binary log file.
     *
     * @param event with its checksum; not to be modified
     */
    void onFormat(byte[] event);

    /**
     * Passes an event of a transaction, with header and checksum.
     *
     * @param buf valid during the call
     * @param length bytes available from {@code index}
     * @param first whether it begins a transaction; events before it that {@code onTransaction} has not reported are
     *     void
     * @param whole whether the event is complete; false for one of 16 MiB and more
     */
    void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole);
}
