package io.understudy.session;

import io.understudy.wire.PacketSink;

/** What stands between the legs for the dialogue of COM_CHANGE_USER. On the session's event loop. */
interface ChangeUserDialogue {
    /** Both legs are alike: the dialogue is relayed as it comes. */
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

    /** Whether only one leg can keep a secret. */
    boolean legsUnlike();

    /** Returns the sink for the client's packets, in front of {@code next}. */
    PacketSink commands(PacketSink next);

    /** Returns the sink for the server's packets, in front of {@code next}. */
    PacketSink responses(PacketSink next);

    /** Whether what the legs say now is the dialogue, and numbered here. */
    boolean active();

    /** Number of the next packet to the client, while {@link #active}. */
    int clientSequence();

    /** Number of the next packet from the server, while {@link #active}. */
    int serverSequence();

    /** Overwrites what is secret: the session is over, or relayed unread. */
    void close();
}
