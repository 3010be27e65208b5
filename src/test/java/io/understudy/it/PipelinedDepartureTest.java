package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.Transport;
import io.understudy.connection.NetworkTransport;
import io.understudy.it.DepartingClient.Form;
import io.understudy.wire.Capabilities;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client that sends statements ahead and ends its sending side: the server executes them all, as it does directly.
 */
class PipelinedDepartureTest {
    /** More than the proxy has in flight at a time, so that some wait when the client leaves. */
    private static final int ROWS = 1500;

    private static final String TABLE = ServerUnderTest.SCHEMA + ".departed";
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final ServerUnderTest server = ServerUnderTest.shared();

    /** How a client ends its sending side. */
    enum End {
        FIN(false, true),
        CLOSE_NOTIFY(true, false),
        CLOSE_NOTIFY_AND_FIN(true, true);

        final boolean closeNotify;
        final boolean fin;

        End(boolean closeNotify, boolean fin) {
            this.closeNotify = closeNotify;
            this.fin = fin;
        }
    }

    @BeforeEach
    void table() {
        server.execute(
                "DROP TABLE IF EXISTS " + TABLE, "CREATE TABLE " + TABLE + " (who VARCHAR(100), what VARCHAR(200))");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void allIsExecuted(String transport) throws Exception {
        assumeTrue(available(transport));
        boolean serverHasTls;
        try (RawClient client = RawClient.login(server.address(), server)) {
            serverHasTls = (client.serverCapabilities() & Capabilities.SSL) != 0;
        }
        List<DepartingClient> clients = new ArrayList<>();
        ExecutorService senders = Executors.newCachedThreadPool();
        List<Future<?>> sending = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        try (ProxyUnderTest plain = proxy(transport, "tls: { mode: disabled }");
                ProxyUnderTest preferred = proxy(transport, "tls: { mode: preferred }, compression: [zlib]")) {
            Map<String, InetSocketAddress> addresses = new TreeMap<>(
                    Map.of("direct", server.address(), "plain", plain.address(), "unlike", preferred.address()));
            for (Map.Entry<String, InetSocketAddress> address : addresses.entrySet()) {
                for (Form form : Form.values()) {
                    for (End end : End.values()) {
                        boolean possible = !address.getKey().equals("direct") || serverHasTls || !form.tls;
                        if (possible && (form.tls || !end.closeNotify)) {
                            String who = address.getKey() + " " + form + " " + end;
                            DepartingClient client = DepartingClient.login(address.getValue(), server, form);
                            clients.add(client);
                            sending.add(senders.submit(() -> {
                                client.pipeline(statements(who));
                                client.endSending(end.closeNotify, end.fin);
                                return null;
                            }));
                            expected.add(who + " " + ROWS);
                        }
                    }
                }
            }
            for (Future<?> sent : sending) {
                sent.get(LONG.toSeconds(), TimeUnit.SECONDS);
            }
            expected.sort(null);
            await().atMost(LONG).untilAsserted(() -> assertThat(executed()).isEqualTo(String.join("\n", expected)));
        } finally {
            senders.shutdownNow();
            for (DepartingClient client : clients) {
                client.close();
            }
        }
    }

    private String executed() {
        String text = server.ask("SELECT GROUP_CONCAT(line ORDER BY line SEPARATOR '\n') FROM"
                + " (SELECT CONCAT(who, ' ', COUNT(*)) line FROM " + TABLE + " GROUP BY who) counts");
        return String.valueOf(text);
    }

    private static List<String> statements(String who) {
        List<String> all = new ArrayList<>();
        all.add("DO SLEEP(1)"); // what follows waits
        all.add("BEGIN");
        String what = "x".repeat(100);
        for (int i = 0; i < ROWS; i++) {
            all.add("INSERT INTO " + TABLE + " VALUES ('" + who + "', '" + what + "')");
        }
        all.add("COMMIT");
        return all;
    }

    private ProxyUnderTest proxy(String transport, String primary) throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .rsa2048()
                .subject("CN=proxy")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path pem = Files.writeString(folder.resolve("proxy.pem"), certificate.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("proxy.key"), certificate.getPrivateKeyPEM());
        return ProxyUnderTest.start("""
                transport: %s
                listen: { address: "127.0.0.1:0", tls: { mode: optional, certificate: '%s', key: '%s' } }
                primary: { address: "%s:%d", %s }
                admin: { enabled: false }
                """.formatted(
                        transport,
                        pem,
                        key,
                        server.address().getAddress().getHostAddress(),
                        server.address().getPort(),
                        primary));
    }

    private static boolean available(String transport) {
        try {
            NetworkTransport.resolve(Transport.valueOf(transport.toUpperCase(Locale.ROOT)));
            return true;
        } catch (IllegalStateException unavailable) {
            return false;
        }
    }
}
