package io.understudy.handshake;

import io.understudy.wire.packet.ErrPacket;

/**
 * A login that the proxy itself ends, in the protocol's own words. It carries no stack trace: whoever asks for it again
 * and again must not cost much.
 */
public final class LoginRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String outcome;
    private final transient ErrPacket error;

    /** @param outcome label of {@code understudy_connections_total} */
    LoginRefusal(String outcome, int code, String sqlState, String message) {
        super(message, null, false, false);
        this.outcome = outcome;
        this.error = new ErrPacket(code, sqlState, message);
    }

    public String outcome() {
        return outcome;
    }

    public ErrPacket error() {
        return error;
    }
}
