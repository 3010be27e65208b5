package io.understudy.wire;

/**
 * A packet that breaks the protocol. Within the login it ends its session; behind it the session is relayed unread from
 * there on. {@link #getMessage()} goes into the log. Carries no stack trace, because hostile input must stay cheap.
 */
public final class MalformedPacketException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** What does not fit: the few words by which such packets are counted. */
    public enum Kind {
        /** A packet under a number that is not the one due, for which servers have an error of its own. */
        COMMAND_NUMBER,
        /** The server sent a packet though no response was due. */
        RESPONSE_NOT_DUE,
        /** A response begins with nothing that one begins with. */
        RESPONSE_START,
        /** An OK packet that is cut off. */
        OK_PACKET,
        /** COM_CHANGE_USER, or its dialogue, where it cannot be passed on. */
        CHANGE_USER,
        /** A length, a string or another part of a packet. */
        FIELD;

        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    public MalformedPacketException(String message) {
        this(Kind.FIELD, message);
    }

    public MalformedPacketException(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
