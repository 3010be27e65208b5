package io.understudy.command;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Told of what concerns the session tracking that the proxy has switched on. On the session's event loop. */
public interface TrackingWatch {
    /** Where nothing is tracked. */
    TrackingWatch NONE = new TrackingWatch() {};

    /**
     * The client sends a SET statement: {@code length} bytes of COM_QUERY's payload, perhaps not all.
     *
     * @param number of the command, see {@link Exchange#number()}
     */
    default void clientSets(long number, ByteBuf buf, int index, int length) {}

    /**
     * The client executes a prepared SET statement.
     *
     * @param number of the command, see {@link Exchange#number()}
     * @param text of the statement; null where it was not kept
     * @param buf holds {@code length} bytes of the execution's payload, perhaps not all
     */
    default void clientSetsPrepared(long number, byte @Nullable [] text, ByteBuf buf, int index, int length) {}

    /** The server says which variables it tracks now. */
    default void reported(String variables) {}
}
