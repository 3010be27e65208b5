package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Clients that disconnect during the handshake. The server counts them as errors of the proxy's address; the proxy
 * counts them by kind.
 */
class AbortedHandshakeTest {
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final String CONNECTIONS = "understudy.connections";
    private static final String BEFORE = "closed_by_client_before_login";
    private static final String WITHIN = "closed_by_client_in_handshake";

    @Test
    void aConnectionWithoutALoginIsCountedApartFromAnAbortedLogin() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address())) {
            long aborted = aborted(server);
            for (int i = 0; i < 3; i++) {
                try (RawClient probe = RawClient.open(proxy.address())) {
                    probe.read();
                }
            }
            try (RawClient probe = RawClient.open(proxy.address())) {
                probe.read();
                probe.reset();
            }
            try (RawClient half = RawClient.open(proxy.address())) {
                half.read();
                half.sendRaw(new byte[] {32, 0, 0, 1, 5});
            }
            try (RawClient login = RawClient.login(proxy.address(), server)) {
                login.execute("DO 1");
            }
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(proxy.count(CONNECTIONS, BEFORE)).isEqualTo(4);
                assertThat(proxy.count(CONNECTIONS, WITHIN)).isEqualTo(1);
                assertThat(proxy.count(CONNECTIONS, "accepted")).isEqualTo(1);
            });
            if (server.isMariaDb()) {
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(aborted(server) - aborted)
                                .as("what the server counts")
                                .isGreaterThanOrEqualTo(5));
            }
        }
    }

    private static long aborted(ServerUnderTest server) {
        String value = server.query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                + " WHERE VARIABLE_NAME = 'Aborted_connects'");
        return Long.parseLong(String.valueOf(value));
    }
}
