package io.understudy.handshake;

import io.understudy.wire.packet.ErrPacket;

/**
 * Thrown when the proxy itself rejects a login; sent to the client as an ERR packet. Has no stack trace, because
 * repeated attempts must stay cheap.
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
