package io.understudy.wire;

/**
 * A packet that breaks the protocol. It ends its session, with {@link #getMessage()} in the log; it carries no stack
 * trace, because hostile input must stay cheap.
 */
public final class MalformedPacketException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean outOfOrder;

    public MalformedPacketException(String message) {
        this(message, false);
    }

    private MalformedPacketException(String message, boolean outOfOrder) {
        super(message, null, false, false);
        this.outOfOrder = outOfOrder;
    }

    /** A packet under a number that is not the one due, for which servers have an error of its own. */
    public static MalformedPacketException outOfOrder(String message) {
        return new MalformedPacketException(message, true);
    }

    public boolean isOutOfOrder() {
        return outOfOrder;
    }
}
