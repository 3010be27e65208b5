package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.ProxyServer;
import io.understudy.config.ConfigLoader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks what {@code /health/ready} reports about a primary without a monitor account. */
class ReadinessTest {
    @Test
    void failedConnectionsOfSessionsReportThePrimaryDown() throws Exception {
        ServerSocket primary = new ServerSocket(0);
        String yaml = "{ listen: { address: \"127.0.0.1:0\" }, primary: { address: \"127.0.0.1:"
                + primary.getLocalPort() + "\" } }";
        try (ProxyServer proxy = new ProxyServer(
                ConfigLoader.load(yaml, "readiness.yaml", Map.of(), name -> null),
                Map.of(),
                new SimpleMeterRegistry())) {
            proxy.prepare();
            proxy.listen();
            await().untilAsserted(() -> assertThat(proxy.notReady()).isEmpty());
            primary.close();
            int port = ((InetSocketAddress) proxy.addresses().get(0)).getPort();
            try (Socket client = new Socket("127.0.0.1", port)) {
                assertThat(client.getInputStream().read())
                        .as("the refusal's first byte")
                        .isPositive();
            }
            await().untilAsserted(() ->
                    assertThat(proxy.notReady()).singleElement().asString().contains("primary"));
        }
    }
}
