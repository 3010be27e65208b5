package io.understudy.embedded;

import io.netty.buffer.ByteBuf;

/**
 * Observes the bytes that pass a {@link DelayedLink}. Called by one thread at a time: must not block, and must not keep
 * or change the buffer.
 */
public interface LinkWatch {
    /**
     * Called before bytes leave, in stream order per direction. One call may hold part of a packet or several packets.
     *
     * @param connection number of the connection within its link, from 1
     * @param toTarget true for bytes towards the target
     * @param arrivedNanos {@link System#nanoTime} of the read that brought the bytes
     * @param leftNanos the current {@link System#nanoTime}
     */
    void passed(long connection, boolean toTarget, ByteBuf bytes, long arrivedNanos, long leftNanos);
}
