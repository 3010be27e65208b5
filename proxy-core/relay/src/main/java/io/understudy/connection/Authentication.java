package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.connection.auth.AuthContext;
import io.understudy.connection.auth.AuthException;
import io.understudy.connection.auth.AuthMethod;
import io.understudy.wire.Marker;
import io.understudy.wire.packet.AuthSwitchRequest;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import org.jspecify.annotations.Nullable;

/**
 * A login from the HandshakeResponse41 on: the server accepts, refuses, continues the authentication or switches the
 * method.
 */
final class Authentication {
    private final Login login;
    private final HandshakeV10 handshakeV10;
    private final long agreed;
    private final boolean tls;
    private AuthContext context;
    private AuthMethod method;
    /** Why the server's last method was answered with nothing; null if it was not. */
    private @Nullable AuthException passed;

    private Authentication(Login login, HandshakeV10 handshakeV10, long agreed, boolean tls) {
        this.login = login;
        this.handshakeV10 = handshakeV10;
        this.agreed = agreed;
        this.tls = tls;
        context = context(handshakeV10.scramble());
        method = AuthMethod.first(handshakeV10.authPlugin(), context);
    }

    /** Sends the HandshakeResponse41. */
    static Authentication begin(Login login, HandshakeV10 handshakeV10, long agreed, boolean tls) throws AuthException {
        Authentication begun = new Authentication(login, handshakeV10, agreed, tls);
        ServerLogin as = login.account().login();
        HandshakeResponse41 response = new HandshakeResponse41(
                agreed, as.maxPacket(), as.collation(), as.user(), as.schema(), begun.method.protocolName(), false);
        login.write(response.encode(
                login.alloc(), login.nextSequence(), begun.method.begin(begun.context), as.attributes()));
        login.doing("authenticating with " + begun.method.protocolName());
        return begun;
    }

    private AuthContext context(byte[] scramble) {
        ServerAccount account = login.account();
        return new AuthContext(
                account.login().secret(), scramble, tls, account.address().isUnix(), account.serverKey());
    }

    /** Processes a packet of the server. */
    void packet(ByteBuf payload) throws AuthException {
        int first = Login.first(payload);
        switch (first) {
            case Marker.OK -> login.succeed(handshakeV10, agreed);
            case Marker.ERR ->
                throw new AuthException("the server refused the login: " + login.refusal(payload)
                        + (passed == null ? "" : "; " + passed.getMessage()));
            case Marker.AUTH_SWITCH -> switchTo(AuthSwitchRequest.parse(payload));
            case Marker.AUTH_MORE_DATA -> {
                if (passed != null) {
                    throw new AuthException("the server continued a login that was passed; " + passed.getMessage());
                }
                byte[] response = method.next(context, ByteBufUtil.getBytes(payload.skipBytes(1)));
                if (response != null) {
                    login.write(response);
                }
            }
            default ->
                throw new AuthException("the server responded to " + method.protocolName()
                        + " with a packet that begins with byte " + first
                        + ", which the protocol does not have there");
        }
    }

    private void switchTo(@Nullable AuthSwitchRequest request) throws AuthException {
        if (request == null) {
            throw new AuthException("the server asks for the authentication from before 4.1, which is not done; "
                    + "give the account a password of its version's default method");
        }
        byte[] response = new byte[0];
        try {
            AuthMethod other = AuthMethod.of(request.method());
            AuthContext with = context(request.data());
            response = other.begin(with);
            method = other;
            context = with;
            passed = null;
        } catch (AuthException e) {
            if (!login.account().exact() || !handshakeV10.isMariaDb()) {
                throw e;
            }
            // MariaDB goes on with the account's next method (IDENTIFIED VIA … OR …), or refuses the login.
            passed = e;
        }
        login.write(response);
        login.doing("authenticating with " + request.method());
    }
}
