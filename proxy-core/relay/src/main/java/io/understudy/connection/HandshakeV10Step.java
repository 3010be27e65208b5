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
                    + login.account()
                            .refusal(ErrPacket.parse(payload, payload.readerIndex(), payload.readableBytes())));
        }
        HandshakeV10 handshakeV10 = HandshakeV10.parse(payload);
        long server = handshakeV10.capabilities();
        if ((server & ServerLogin.NEEDED) != ServerLogin.NEEDED) {
            throw new AuthException("server version " + handshakeV10.serverVersion()
                    + " speaks the protocol from before 4.1; use MySQL 5.7, MariaDB 10.4 or newer");
        }
        ServerLogin wanted = login.account().login();
        long agreed = server & wanted.capabilities();
        if (login.account().exact() && agreed != wanted.capabilities()) {
            throw new AuthException("server version " + handshakeV10.serverVersion() + " does not offer capabilities 0x"
                    + Long.toHexString(wanted.capabilities() & ~server)
                    + ", which the client uses; give both servers the same version and the same local_infile");
        }
        if (!login.tls().use(server)) {
            return AuthStep.begin(login, handshakeV10, agreed, false);
        }
        TlsStep tls = new TlsStep(login, handshakeV10, agreed | Capabilities.SSL);
        HandshakeResponse41 request = new HandshakeResponse41(
                agreed | Capabilities.SSL, wanted.maxPacket(), wanted.collation(), "", null, "", true);
        login.write(request.encode(login.alloc(), login.nextSequence(), new byte[0], Map.of()));
        tls.start();
        return tls;
    }
}
