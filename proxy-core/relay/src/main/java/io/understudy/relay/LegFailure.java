package io.understudy.relay;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslClosedEngineException;
import io.understudy.session.ClientSession;
import java.io.IOException;
import javax.net.ssl.SSLException;

/** Translates an exception in a leg's pipeline into the end that it means to the session. */
final class LegFailure {
    private LegFailure() {}

    /** Returns the cause without the decoder's wrapping. */
    static Throwable reason(Throwable cause) {
        Throwable inner = cause.getCause();
        return cause instanceof DecoderException && inner != null ? inner : cause;
    }

    /**
     * Returns false for a reset connection or a failed write, also behind the peer's close_notify: the close that
     * follows tells the session. A TLS handshake that fails tells the session itself.
     */
    static boolean saysMoreThanTheClose(ClientSession session, Throwable why) {
        return why instanceof SSLException
                ? session.loggedIn() && !(why instanceof SslClosedEngineException)
                : !(why instanceof IOException);
    }
}
