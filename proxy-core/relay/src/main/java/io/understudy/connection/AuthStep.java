package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.connection.auth.AuthContext;
import io.understudy.connection.auth.AuthException;
import io.understudy.connection.auth.AuthMethod;
import io.understudy.connection.auth.AuthMethods;
import io.understudy.connection.auth.PassedMethod;
import io.understudy.wire.Marker;
import io.understudy.wire.packet.AuthSwitchRequest;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;

/**
 * The HandshakeResponse41 was sent; the server accepts, refuses, continues the authentication or switches the method.
 */
final class AuthStep implements LoginStep {
    private final Login login;
    private final HandshakeV10 handshakeV10;
    private final long agreed;
    private final boolean tls;
    private final AuthMethod method;

    private AuthStep(Login login, HandshakeV10 handshakeV10, long agreed, boolean tls, AuthMethod method) {
        this.login = login;
        this.handshakeV10 = handshakeV10;
        this.agreed = agreed;
        this.tls = tls;
        this.method = method;
    }

    /** Sends the HandshakeResponse41. */
    static AuthStep begin(Login login, HandshakeV10 handshakeV10, long agreed, boolean tls) throws AuthException {
        AuthMethod method = AuthMethods.first(handshakeV10.authPlugin(), context(login, handshakeV10.scramble(), tls));
        ServerLogin as = login.account().login();
        HandshakeResponse41 response = new HandshakeResponse41(
                agreed, as.maxPacket(), as.collation(), as.user(), as.schema(), method.name(), false);
        login.write(response.encode(login.alloc(), login.nextSequence(), method.begin(), as.attributes()));
        return new AuthStep(login, handshakeV10, agreed, tls, method);
    }

    private static AuthContext context(Login login, byte[] scramble, boolean tls) {
        return new AuthContext(
                login.account().login().secret(),
                scramble,
                tls,
                login.account().address().isUnix(),
                login.account().serverKey());
    }

    @Override
    public String doing() {
        return "authenticating with " + method.name();
    }

    @Override
    public LoginStep packet(ByteBuf payload) throws AuthException {
        int first = payload.isReadable() ? payload.getUnsignedByte(payload.readerIndex()) : -1;
        switch (first) {
            case Marker.OK -> {
                login.succeed(handshakeV10, agreed);
                return this;
            }
            case Marker.ERR ->
                throw new AuthException("the server refused the login: "
                        + login.account()
                                .refusal(ErrPacket.parse(payload, payload.readerIndex(), payload.readableBytes()))
                        + (method instanceof PassedMethod passed
                                ? "; " + passed.why().getMessage()
                                : ""));
            case Marker.AUTH_SWITCH -> {
                return switchTo(payload);
            }
            case Marker.AUTH_MORE_DATA -> {
                byte[] response = method.next(ByteBufUtil.getBytes(payload.skipBytes(1)));
                if (response != null) {
                    login.write(response);
                }
                return this;
            }
            default ->
                throw new AuthException("the server responded to " + method.name()
                        + " with a packet that begins with byte " + first + ", which the protocol does not have there");
        }
    }

    private AuthStep switchTo(ByteBuf payload) throws AuthException {
        AuthSwitchRequest request = AuthSwitchRequest.parse(payload);
        if (request == null) {
            throw new AuthException("the server asks for the authentication from before 4.1, which is not done; "
                    + "give the account a password of its version's default method");
        }
        try {
            return answer(AuthMethods.of(request.method(), context(login, request.data(), tls)));
        } catch (AuthException e) {
            if (!login.account().exact() || !handshakeV10.isMariaDb()) {
                throw e;
            }
            return answer(new PassedMethod(request.method(), e));
        }
    }

    private AuthStep answer(AuthMethod other) throws AuthException {
        login.write(other.begin());
        return new AuthStep(login, handshakeV10, agreed, tls, other);
    }
}
