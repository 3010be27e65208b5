package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.SslHandler;
import io.understudy.connection.auth.AuthException;
import io.understudy.wire.packet.HandshakeV10;

/** Waits for the TLS handshake; no packet may arrive before it is complete. */
final class TlsStep implements LoginStep {
    private final Login login;
    private final HandshakeV10 handshakeV10;
    private final long agreed;

    TlsStep(Login login, HandshakeV10 handshakeV10, long agreed) {
        this.login = login;
        this.handshakeV10 = handshakeV10;
        this.agreed = agreed;
    }

    @Override
    public String doing() {
        return "agreeing on TLS";
    }

    void start() throws AuthException {
        SslHandler handler = login.tls().handler(login.alloc());
        login.secure(handler);
        handler.handshakeFuture().addListener(done -> {
            if (done.isSuccess()) {
                login.proceed(() -> AuthStep.begin(login, handshakeV10, agreed, true));
            } else {
                login.fail(
                        "no agreement on TLS: " + innermost(done.cause())
                                + "; check the server's certificate against tls.mode and tls.ca",
                        done.cause());
            }
        });
    }

    private static String innermost(Throwable cause) {
        Throwable at = cause;
        while (at.getCause() != null && at.getCause() != at) {
            at = at.getCause();
        }
        return at.getMessage() == null ? at.getClass().getSimpleName() : at.getMessage();
    }

    @Override
    public LoginStep packet(ByteBuf payload) throws AuthException {
        throw new AuthException("the server spoke before TLS was agreed on; is something between it and the proxy?");
    }
}
