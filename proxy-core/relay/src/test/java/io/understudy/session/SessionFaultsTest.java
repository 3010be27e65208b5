package io.understudy.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

class SessionFaultsTest {
    /** As behind a server that ends amid its TLS handshake: Netty's exception has no message, and a name of its own. */
    @Test
    void aClosedConnectionIsToldInWords() {
        assertThat(SessionFaults.why(new ClosedChannelException())).isEqualTo("the connection was closed");
        assertThat(SessionFaults.why(new IOException("Connection reset by peer")))
                .isEqualTo("Connection reset by peer");
    }
}
