package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import org.jspecify.annotations.Nullable;

/** Parses the bytes that {@link BinlogEvents} received of a transaction. */
public final class TransactionBytes {
    private TransactionBytes() {}

    /**
     * Returns the transaction with its tables, or null if the bytes are not a complete one.
     *
     * @param format the format description event that preceded them
     */
    public static @Nullable BinlogTransaction read(ServerFlavor flavor, byte[] format, byte[] events) {
        BinlogTransaction[] found = new BinlogTransaction[1];
        BinlogParser parser = new BinlogParser(flavor, true, transaction -> found[0] = transaction);
        try {
            parser.event(Unpooled.wrappedBuffer(format), 0, format.length);
            ByteBuf buf = Unpooled.wrappedBuffer(events);
            int at = 0;
            while (at + EventHeader.LENGTH <= events.length) {
                long length = EventHeader.length(buf, at);
                if (length < EventHeader.LENGTH || length > events.length - at) {
                    return null;
                }
                parser.event(buf, at, (int) length);
                parser.eventEnd(0, false);
                at += (int) length;
            }
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            return null;
        }
        return found[0];
    }
}
