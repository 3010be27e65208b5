package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.luben.zstd.Zstd;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.Transport;
import io.understudy.connection.NetworkTransport;
import io.understudy.it.DepartingClient.Form;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.Deflater;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client that sends statements ahead and ends its sending side: the server executes them all, as it does directly.
 */
@Tag("long")
class PipelinedDepartureTest {
    /** With the others more than the 1,024 that the proxy has in flight: some wait when the client leaves. */
    private static final int STATEMENTS = 1100;

    private static final String TABLE = ServerUnderTest.SCHEMA + ".departed";
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final ServerUnderTest server = ServerUnderTest.shared();

    /** The way in which a client ends its sending side. */
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
        server.execute("DROP TABLE IF EXISTS " + TABLE, "CREATE TABLE " + TABLE + " (who VARCHAR(100), n INT)");
    }

    /** A client's connection and its end; the row that it inserts at the end names it. */
    private record Case(InetSocketAddress to, String leg, Form form, End end) {
        String name() {
            return leg + " " + form + " " + end;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void allIsExecuted(String transport) throws Exception {
        assumeTrue(available(transport));
        try (ProxyUnderTest plain = proxy(transport, "tls: { mode: disabled }");
                ProxyUnderTest preferred = proxy(transport, "tls: { mode: preferred }, compression: [zlib]")) {
            List<Case> cases = new ArrayList<>();
            for (Form form : Form.values()) {
                cases.add(new Case(plain.address(), "plain", form, End.FIN));
            }
            for (End end : List.of(End.CLOSE_NOTIFY, End.CLOSE_NOTIFY_AND_FIN)) {
                cases.add(new Case(plain.address(), "plain", Form.TLS, end));
                cases.add(new Case(plain.address(), "plain", Form.TLS_COMPRESSED, end));
            }
            cases.add(new Case(preferred.address(), "unlike", Form.PLAIN, End.FIN));
            cases.add(new Case(preferred.address(), "unlike", Form.TLS_COMPRESSED, End.CLOSE_NOTIFY_AND_FIN));
            assertAllExecuted(cases);
        }
    }

    /** The reference of the cases through the proxy. */
    @Test
    void allIsExecutedOnADirectConnection() throws Exception {
        boolean hasTls;
        try (RawClient client = RawClient.login(server.address(), server)) {
            hasTls = (client.serverCapabilities() & Capabilities.SSL) != 0;
        }
        List<Case> cases = new ArrayList<>();
        cases.add(new Case(server.address(), "direct", Form.PLAIN, End.FIN));
        cases.add(new Case(server.address(), "direct", Form.COMPRESSED, End.FIN));
        if (hasTls) {
            for (End end : End.values()) {
                cases.add(new Case(server.address(), "direct", Form.TLS, end));
            }
            cases.add(new Case(server.address(), "direct", Form.TLS_COMPRESSED, End.CLOSE_NOTIFY_AND_FIN));
        }
        assertAllExecuted(cases);
    }

    /** A few compressed bytes with the server's FIN right behind them hold more than the client's buffer takes. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void aLongResultIsDeliveredAheadOfTheClose(String transport) throws Exception {
        assumeTrue(available(transport));
        int length = 15_000_000;
        try (ProxyUnderTest proxy = proxy(transport, "tls: { mode: disabled }, compression: [zlib]")) {
            for (boolean quits : new boolean[] {true, false}) {
                try (RawClient client = RawClient.login(proxy.address(), server)) {
                    client.write(0, query("SELECT REPEAT('z', " + length + ")"));
                    if (quits) {
                        client.write(0, new byte[] {1}); // COM_QUIT
                    }
                    client.flush();
                    if (!quits) {
                        client.shutdownOutput();
                    }
                    for (int i = 0; i < 3; i++) {
                        client.read(); // column count, column definition, EOF
                    }
                    assertThat(client.read().payload()).as("the row").hasSize(length + 4);
                    assertThat(client.read().first()).as("the EOF behind it").isEqualTo(0xFE);
                }
            }
        }
    }

    private static byte[] query(String sql) {
        return ("\u0003" + sql).getBytes(StandardCharsets.US_ASCII);
    }

    private void assertAllExecuted(List<Case> cases) throws Exception {
        List<DepartingClient> clients = new ArrayList<>();
        ExecutorService senders = Executors.newCachedThreadPool();
        try {
            List<Future<?>> sending = new ArrayList<>();
            for (Case each : cases) {
                DepartingClient client = DepartingClient.login(each.to(), server, each.form());
                clients.add(client);
                sending.add(senders.submit(() -> {
                    client.pipeline(statements(each.name()));
                    client.endSending(each.end().closeNotify, each.end().fin);
                    return null;
                }));
            }
            for (Future<?> sent : sending) {
                sent.get(LONG.toSeconds(), TimeUnit.SECONDS);
            }
            String expected = cases.stream()
                    .map(each -> each.name() + " " + STATEMENTS)
                    .sorted()
                    .collect(Collectors.joining("\n"));
            await().atMost(LONG).untilAsserted(() -> assertThat(executed()).isEqualTo(expected));
        } finally {
            senders.shutdownNow();
            for (DepartingClient client : clients) {
                client.close();
            }
        }
    }

    /**
     * Behind the login, with more in the compressed frames than is inflated at once: the end of the client's output is
     * read before all of its statements are.
     */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void allThatIsSentWithTheLoginIsExecuted(String transport) throws Exception {
        assumeTrue(available(transport));
        List<DepartingClient> clients = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        try (ProxyUnderTest proxy = proxy(transport, "tls: { mode: disabled }")) {
            for (Form form : Form.values()) {
                for (long bit : List.of(Capabilities.COMPRESS, Capabilities.ZSTD_COMPRESSION)) {
                    for (End end : form.tls ? End.values() : new End[] {End.FIN}) {
                        String who = form + " " + bit + " " + end;
                        byte[] commands = behindALogin(who, form.compressed ? bit : 0);
                        DepartingClient client =
                                DepartingClient.loginWith(proxy.address(), server, form, bit, commands);
                        clients.add(client);
                        client.endSending(end.closeNotify, end.fin);
                        expected.add(who + " 1");
                    }
                }
            }
            expected.sort(null);
            await().atMost(LONG).untilAsserted(() -> assertThat(executed()).isEqualTo(String.join("\n", expected)));
        } finally {
            for (DepartingClient client : clients) {
                client.close();
            }
        }
    }

    private static byte[] behindALogin(String who, long compression) {
        Payload all = new Payload();
        for (String sql :
                List.of("DO '" + "x".repeat(300_000) + "'", "INSERT INTO " + TABLE + " VALUES ('" + who + "', 1)")) {
            byte[] packet = Bytes.command(CommandCode.QUERY, sql);
            if (compression == 0) {
                all.raw(packet);
                continue;
            }
            byte[] data = compression == Capabilities.COMPRESS ? deflated(packet) : Zstd.compress(packet);
            all.uint(data.length, 3).uint(0, 1).uint(packet.length, 3).raw(data);
        }
        return all.bytes();
    }

    private static byte[] deflated(byte[] bytes) {
        Deflater deflater = new Deflater();
        deflater.setInput(bytes);
        deflater.finish();
        byte[] room = new byte[bytes.length + 100];
        int length = deflater.deflate(room);
        deflater.end();
        return Arrays.copyOf(room, length);
    }

    private String executed() {
        return String.valueOf(
                server.query("SELECT GROUP_CONCAT(CONCAT(who, ' ', n) ORDER BY who SEPARATOR '\n') FROM " + TABLE));
    }

    private static List<String> statements(String who) {
        List<String> all = new ArrayList<>();
        all.add("DO SLEEP(1), @n := 0"); // what follows waits
        String padding = "x".repeat(150);
        for (int i = 0; i < STATEMENTS; i++) {
            all.add("DO @n := @n + 1, '" + padding + "'");
        }
        all.add("INSERT INTO " + TABLE + " VALUES ('" + who + "', @n)");
        return all;
    }

    private ProxyUnderTest proxy(String transport, String primary) throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
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
