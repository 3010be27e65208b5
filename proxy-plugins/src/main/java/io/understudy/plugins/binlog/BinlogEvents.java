package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;

/**
 * Receives the bytes of the events that make up transactions, before {@link BinlogListener#onTransaction} tells of each. Events outside of
 * transactions are not passed on. Called on the dump connection's event loop: must not wait.
 */
public interface BinlogEvents {
    /**
     * The format description event of the events that follow. Told at the stream's begin or on joining, and again with each binary log file.
     *
     * @param event with its checksum; not to be modified
     */
    void onFormat(byte[] event);

    /**
     * An event of a transaction, with header and checksum.
     *
     * @param buf valid during the call
     * @param length bytes at hand from {@code index}
     * @param first it begins a transaction; what came before and was not told by {@code onTransaction} is void
     * @param whole the event is at hand to its last byte; false for one of 16 MiB and more
     */
    void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole);
}
