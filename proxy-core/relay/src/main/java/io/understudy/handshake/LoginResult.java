package io.understudy.handshake;

import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A login that the server has accepted.
 *
 * @param attributes the client's connection attributes
 * @param capabilities as agreed with the server
 * @param clientTracksSession whether the client requested CLIENT_SESSION_TRACK; if not, the proxy may have requested it
 *     nevertheless
 * @param compression of each leg, starting after the OK_Packet
 * @param status status bits of the server's OK_Packet
 * @param redirected whether the OK_Packet directed the client to another address; the client did not see it
 * @param bridge for COM_CHANGE_USER; null when the legs are alike
 * @param proof what the login showed of the client's secret, to be wiped at the session's end
 */
public record LoginResult(
        HandshakeV10 handshakeV10,
        HandshakeResponse41 handshakeResponse,
        Map<String, String> attributes,
        long capabilities,
        boolean clientTracksSession,
        LegCompression compression,
        int status,
        boolean redirected,
        @Nullable AuthBridge bridge,
        LoginProof proof) {
    /** Returns the same with what the server's OK_Packet has decided. */
    LoginResult accepted(int withStatus, boolean wasRedirected, LoginProof shown) {
        return new LoginResult(
                handshakeV10,
                handshakeResponse,
                attributes,
                capabilities,
                clientTracksSession,
                compression,
                withStatus,
                wasRedirected,
                bridge,
                shown);
    }
}
