package io.understudy.embedded;

import io.netty.buffer.ByteBuf;

/**
 * Sees what passes a {@link DelayedLink}. Called on the link's thread: must not wait, nor keep or change the buffer.
 */
public interface LinkWatch {
    /**
     * Bytes are about to leave, in the order of their direction's stream; one call may hold a part of a packet, or
     * several.
     *
     * @param connection number of the connection within its link, from 1
     * @param toTarget from whoever connected to the target; false for the other direction
     * @param arrivedNanos {@link System#nanoTime} of the read that brought them
     * @param leftNanos the same clock, now
     */
    void passed(long connection, boolean toTarget, ByteBuf bytes, long arrivedNanos, long leftNanos);
}
