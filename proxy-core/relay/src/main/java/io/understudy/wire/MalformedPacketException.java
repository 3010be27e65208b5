package io.understudy.wire;

/**
 * Thrown for a packet that violates the protocol. During the login it ends the session; after the login the session is
 * relayed unread from there on. The message goes into the log. Has no stack trace, because hostile input must stay
 * cheap.
 */
public final class MalformedPacketException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** The kind of violation: a bounded label for counting. */
    public enum Kind {
        /** A packet with an unexpected sequence number; servers have an error number for this case. */
        COMMAND_NUMBER,
        /** The server sent a packet while no response was due. */
        RESPONSE_NOT_DUE,
        /**
         * The same behind a COM_CLONE of MySQL that has succeeded, whose packets follow a protocol between servers: no
         * violation, but nothing to read.
         */
        CLONE,
        /** A response starts with a packet that starts no response. */
        RESPONSE_START,
        /** An OK_Packet that is cut off. */
        OK_PACKET,
        /** A COM_CHANGE_USER, or its authentication exchange, that cannot be forwarded. */
        CHANGE_USER,
        /** A length, a string or another part of a packet. */
        FIELD;

        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** A violation in a length, a string or another part of a packet. */
    public MalformedPacketException(String message) {
        this(Kind.FIELD, message);
    }

    /** A violation of some kind; the message names the packet and what is wrong in it. */
    public MalformedPacketException(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    /** Returns the kind of violation. */
    public Kind kind() {
        return kind;
    }
}
