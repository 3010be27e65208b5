package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Outgoing packets of a server connection: packets written within one run of the loop's tasks leave with one flush,
 * short packets in one buffer. On the connection's event loop.
 */
final class OutgoingPackets {
    /** Copying a shorter packet costs less than sending it in a buffer of its own. */
    private static final int SHORT = 1024;

    private static final int GATHERED = 32 * 1024;

    private final Channel channel;
    private final Runnable flush = this::flush;
    private @Nullable ByteBuf gathered;
    private boolean flushDue;

    OutgoingPackets(Channel channel) {
        this.channel = channel;
    }

    /** Takes ownership of the buffer. */
    void write(ByteBuf bytes) {
        if (bytes.readableBytes() <= SHORT) {
            gather(bytes);
        } else {
            writeGathered();
            channel.write(bytes, channel.voidPromise());
        }
        if (!flushDue) {
            flushDue = true;
            channel.eventLoop().execute(flush);
        }
    }

    private void gather(ByteBuf bytes) {
        try {
            if (gathered == null) {
                gathered = channel.alloc().buffer(SHORT, GATHERED + SHORT);
            }
            gathered.writeBytes(bytes);
        } finally {
            bytes.release();
        }
        if (gathered.readableBytes() >= GATHERED) {
            writeGathered();
        }
    }

    /** Writes the gathered short packets. Call before writing to the channel directly. */
    void writeGathered() {
        ByteBuf full = gathered;
        if (full != null) {
            gathered = null;
            channel.write(full, channel.voidPromise());
        }
    }

    private void flush() {
        flushDue = false;
        writeGathered();
        channel.flush();
    }
}
