package io.understudy.wire;

/**
 * A packet that breaks the protocol. It ends its session, with {@link #getMessage()} in the log; it carries no stack
 * trace, because hostile input must stay cheap.
 */
public final class MalformedPacketException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedPacketException(String message) {
        super(message, null, false, false);
    }
}
