package io.understudy.command;

import io.netty.buffer.ByteBuf;

/** Told of what concerns the session tracking that we have switched on ourselves. On the session's event loop. */
public interface TrackingWatch {
    /**
     * The client sends a SET statement: {@code length} bytes of COM_QUERY's payload, perhaps not all.
     *
     * @param number of the command, see {@link Exchange#number()}
     */
    void clientSets(long number, ByteBuf buf, int index, int length);

    /** The client executes a prepared SET statement. */
    void clientSetsPrepared();

    /** The server says which variables it tracks now. */
    void reported(String variables);
}
