package io.understudy.handshake;

import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import org.jspecify.annotations.Nullable;

/**
 * A login that the server has accepted.
 *
 * @param capabilities as the server has agreed to them
 * @param clientTracksSession the client asked for CLIENT_SESSION_TRACK; when not, the server may have been asked for it all
 *     the same
 * @param compression of either leg, from the OK packet on
 * @param status bits of the server's OK packet
 * @param bridge for COM_CHANGE_USER; null where both legs are alike
 */
public record LoginResult(
        HandshakeV10 greeting,
        HandshakeResponse41 reply,
        long capabilities,
        boolean clientTracksSession,
        LegCompression compression,
        int status,
        @Nullable AuthBridge bridge) {}
