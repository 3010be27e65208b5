package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.understudy.connection.auth.AuthException;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.Marker;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import java.util.Map;

/** Waits for the server's HandshakeV10. */
final class HandshakeV10Step implements LoginStep {
    private static final long NEEDED = Capabilities.PROTOCOL_41 | Capabilities.SECURE_CONNECTION;

    /**
     * Capabilities that the proxy asks for. LONG_PASSWORD says that it does not know MariaDB's extended bits. Without
     * session tracking, which nothing reads here, and without compression, which costs more than it saves for responses
     * that are dropped.
     */
    private static final long WANTED = NEEDED
            | Capabilities.LONG_PASSWORD
            | Capabilities.LONG_FLAG
            | Capabilities.TRANSACTIONS
            | Capabilities.MULTI_RESULTS
            | Capabilities.PS_MULTI_RESULTS
            | Capabilities.PLUGIN_AUTH
            | Capabilities.PLUGIN_AUTH_LENENC_DATA
            | Capabilities.CONNECT_ATTRS
            | Capabilities.DEPRECATE_EOF;

    private final Login login;

    HandshakeV10Step(Login login) {
        this.login = login;
    }

    @Override
    public String doing() {
        return "waiting for the server's handshake packet";
    }

    @Override
    public LoginStep packet(ByteBuf payload) throws AuthException {
        if (payload.isReadable() && payload.getUnsignedByte(payload.readerIndex()) == Marker.ERR) {
            throw new AuthException("the server wants no connection: "
                    + LoginAdvice.explain(ErrPacket.parse(payload, payload.readerIndex(), payload.readableBytes())));
        }
        HandshakeV10 handshakeV10 = HandshakeV10.parse(payload);
        if ((handshakeV10.capabilities() & NEEDED) != NEEDED) {
            throw new AuthException("server version " + handshakeV10.serverVersion()
                    + " speaks the protocol from before 4.1; use MySQL 5.7, MariaDB 10.4 or newer");
        }
        long agreed = handshakeV10.capabilities() & WANTED;
        if (!login.tls().use((handshakeV10.capabilities() & Capabilities.SSL) != 0)) {
            return AuthStep.begin(login, handshakeV10, agreed, false);
        }
        TlsStep tls = new TlsStep(login, handshakeV10, agreed | Capabilities.SSL);
        HandshakeResponse41 request = new HandshakeResponse41(
                agreed | Capabilities.SSL, Login.MAX_PACKET, Login.COLLATION, "", null, "", true);
        login.write(request.encode(login.alloc(), login.nextSequence(), new byte[0], Map.of()));
        tls.start();
        return tls;
    }
}
