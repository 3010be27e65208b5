package io.understudy.command;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Receives events that concern the session tracking requested by the proxy. Called on the session's event loop. */
public interface TrackingWatch {
    /** For sessions without it. */
    TrackingWatch NONE = new TrackingWatch() {};

    /**
     * Called when the client sends a SET statement: {@code length} bytes of the COM_QUERY payload, possibly not all.
     *
     * @param number number of the command, see {@link Exchange#number()}
     * @return what holds from the server's OK packet on; null if the statement does not concern the tracking
     */
    default @Nullable Runnable clientSets(long number, ByteBuf buf, int index, int length) {
        return null;
    }

    /**
     * Called when the client executes a prepared SET statement.
     *
     * @param number number of the command, see {@link Exchange#number()}
     * @param text text of the statement; null if it was not kept
     * @param buf holds {@code length} bytes of the execution's payload, possibly not all
     * @return as {@link #clientSets}
     */
    default @Nullable Runnable clientSetsPrepared(
            long number, byte @Nullable [] text, ByteBuf buf, int index, int length) {
        return null;
    }

    /**
     * Returns whether the client's command sets {@code gtid_domain_id} for itself alone: {@code SET STATEMENT … FOR}.
     *
     * @param number number of the command
     */
    default boolean setsForItself(long number) {
        return false;
    }

    /** Returns what the proxy has added to the session's list of tracked variables. */
    default List<String> addedVariables() {
        return List.of();
    }

    /** Returns whether the proxy has set {@code session_track_gtids}. */
    default boolean addedGtids() {
        return false;
    }

    /** Called when the server reports which variables it tracks now. */
    default void reported(String variables) {}
}
