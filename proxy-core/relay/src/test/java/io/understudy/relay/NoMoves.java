package io.understudy.relay;

import io.netty.channel.WriteBufferWaterMark;
import io.understudy.config.Transport;
import io.understudy.connection.NetworkTransport;
import io.understudy.connection.SessionConnector;
import io.understudy.handshake.LoginPolicy;
import io.understudy.move.MovesAtOnce;
import io.understudy.move.SessionSecrets;
import java.time.Duration;

/** For sessions that never leave their server. */
final class NoMoves {
    private NoMoves() {}

    static MoveTools tools() {
        SessionConnector nowhere = new SessionConnector(
                NetworkTransport.resolve(Transport.NIO),
                LoginPolicy.PLAIN,
                null,
                WriteBufferWaterMark.DEFAULT,
                () -> true,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1));
        return new MoveTools(nowhere, new SessionSecrets(null, Runnable::run), new MovesAtOnce(1));
    }
}
