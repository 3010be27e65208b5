package io.understudy.session;

import io.understudy.command.SessionModel;
import io.understudy.handshake.AuthBridge;
import io.understudy.wire.Leg;
import io.understudy.wire.PacketSink;
import org.jspecify.annotations.Nullable;

/**
 * Processes the authentication exchange of COM_CHANGE_USER between the legs. Must be used on the session's event loop.
 */
interface ChangeUserDialogue {
    /** For legs that are alike: the exchange is relayed unchanged. */
    ChangeUserDialogue RELAYED = new ChangeUserDialogue() {
        @Override
        public boolean legsUnlike() {
            return false;
        }

        @Override
        public PacketSink commands(PacketSink next) {
            return next;
        }

        @Override
        public PacketSink responses(PacketSink next) {
            return next;
        }

        @Override
        public boolean active() {
            return false;
        }

        @Override
        public int clientSequence() {
            throw new IllegalStateException("the dialogue is relayed");
        }

        @Override
        public int serverSequence() {
            throw new IllegalStateException("the dialogue is relayed");
        }

        @Override
        public void close() {}
    };

    /** Returns the dialogue of a session; {@code bridge} is null for legs that are alike. */
    static ChangeUserDialogue of(@Nullable AuthBridge bridge, SessionModel model, Leg client, Leg server) {
        return bridge == null ? RELAYED : new ChangeUserBridge(bridge, model, client, server);
    }

    /** Returns whether only one leg is secure. */
    boolean legsUnlike();

    /** Returns the sink for the client's packets, in front of {@code next}. */
    PacketSink commands(PacketSink next);

    /** Returns the sink for the server's packets, in front of {@code next}. */
    PacketSink responses(PacketSink next);

    /** Returns whether the packets passing now belong to the exchange and are renumbered here. */
    boolean active();

    /** Returns the number of the next packet to the client, while {@link #active} returns true. */
    int clientSequence();

    /** Returns the number of the next packet from the server, while {@link #active} returns true. */
    int serverSequence();

    /** Overwrites secrets, when the session ends or is relayed unread. */
    void close();
}
