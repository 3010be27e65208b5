package io.understudy.command;

import io.understudy.wire.PacketSink;

/** Decides what becomes of a session in which a packet did not fit the protocol. */
public interface Unfit {
    /** See {@link PacketSink#instead}. */
    PacketSink instead(RuntimeException fault, boolean undecided);
}
