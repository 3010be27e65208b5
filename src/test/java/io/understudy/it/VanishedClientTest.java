package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.Transport;
import io.understudy.it.DepartingClient.Departure;
import io.understudy.it.DepartingClient.Form;
import io.understudy.protocol.Capabilities;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that goes away: the server notices as soon as it does directly, rolls back and frees the locks. In the
 * middle of a statement servers look for that every 5 seconds, and take bytes that are to be read, a close_notify among
 * them, for a client that is there.
 */
@Tag("long")
class VanishedClientTest {
    /** Two checks by the server and some time for a busy machine; the statement takes far longer. */
    private static final Duration SOON = Duration.ofSeconds(14);

    private static final String ASLEEP =
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP(61)%'";

    @TempDir
    Path folder;

    private final ServerUnderTest server = ServerUnderTest.shared();
    private final List<ProxyUnderTest> proxies = new ArrayList<>();
    private final List<Gone> all = new ArrayList<>();
    private final Map<String, String> legs = new TreeMap<>(Map.of(
            "plain", "tls: { mode: disabled }",
            "compressed", "tls: { mode: disabled }, compression: [zlib]"));
    private boolean serverHasTls;

    /** @param leg of the server, empty for none */
    private record Gone(String leg, Form form, Departure departure, DepartingClient client) {
        boolean isDirect() {
            return leg.isEmpty();
        }

        String how() {
            return form + ", " + departure;
        }
    }

    @BeforeEach
    void findTls() throws Exception {
        try (RawClient client = RawClient.login(server.address(), server)) {
            serverHasTls = (client.serverCapabilities() & Capabilities.SSL) != 0;
        }
        if (serverHasTls) {
            legs.put("TLS", "tls: { mode: required }");
            legs.put("TLS, compressed", "tls: { mode: required }, compression: [zlib]");
            legs.put("as the client's", "tls: { mode: as-client }, compression: as-client");
        }
    }

    @AfterEach
    void close() throws Exception {
        for (Gone gone : all) {
            gone.client().close();
        }
        String threads = there();
        for (Gone gone : all) {
            if (isThere(gone, threads)) {
                kill(gone);
            }
        }
        proxies.forEach(ProxyUnderTest::close);
    }

    private void kill(Gone gone) {
        try {
            server.execute("KILL " + gone.client().threadId());
        } catch (IllegalStateException endedMeanwhile) {
            // As it should.
        }
    }

    @Test
    void inTheMiddleOfAStatement() throws Exception {
        open(List.of(Departure.values()));
        for (Gone gone : all) {
            gone.client().query("SELECT SLEEP(61)");
        }
        await().atMost(SOON).until(() -> String.valueOf(all.size()).equals(server.query(ASLEEP)));
        leave();
        try {
            await().atMost(SOON).until(() -> stillThere().isEmpty());
        } catch (ConditionTimeoutException some) {
            // Those that the server has not noticed without the proxy either are as they should be.
        }
        Set<String> unnoticed = new HashSet<>();
        List<String> late = new ArrayList<>();
        for (Gone gone : stillThere()) {
            assertThat(gone.departure().needsTls).as(gone.toString()).isTrue();
            if (gone.isDirect()) {
                unnoticed.add(gone.how());
            } else {
                late.add(gone.leg() + ", " + gone.how());
            }
        }
        late.removeIf(one -> unnoticed.stream().anyMatch(one::endsWith));
        assertThat(late).isEmpty();
    }

    @Test
    void betweenTwoStatements() throws Exception {
        open(List.of(Departure.values()));
        leave();
        await().atMost(SOON).untilAsserted(() -> assertThat(stillThere()).isEmpty());
    }

    /** All transports at once: what takes long is the server's next check. */
    private void open(List<Departure> departures) throws Exception {
        server.execute("SET GLOBAL max_connections = 1000", "SET GLOBAL group_concat_max_len = 65536");
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=proxy")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path pem = Files.writeString(folder.resolve("proxy.pem"), certificate.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("proxy.key"), certificate.getPrivateKeyPEM());
        open("", server.address(), departures);
        for (Transport transport : SlowNameServerTest.transports()) {
            open(transport, pem, key, departures);
        }
    }

    private void open(Transport transport, Path pem, Path key, List<Departure> departures) throws Exception {
        for (Map.Entry<String, String> leg : legs.entrySet()) {
            ProxyUnderTest proxy = ProxyUnderTest.start("""
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
                            leg.getValue()));
            proxies.add(proxy);
            open(transport + ", " + leg.getKey(), proxy.address(), departures);
        }
    }

    private void open(String leg, InetSocketAddress address, List<Departure> departures) throws IOException {
        for (Form form : Form.values()) {
            for (Departure departure : departures) {
                if ((form.tls || !departure.needsTls) && (serverHasTls || !form.tls || !leg.isEmpty())) {
                    all.add(new Gone(leg, form, departure, DepartingClient.login(address, server, form)));
                }
            }
        }
    }

    private void leave() throws IOException {
        for (Gone gone : all) {
            gone.client().leave(gone.departure());
        }
    }

    private List<Gone> stillThere() {
        String threads = there();
        return all.stream().filter(gone -> isThere(gone, threads)).toList();
    }

    private String there() {
        return "," + server.query("SELECT GROUP_CONCAT(ID) FROM information_schema.PROCESSLIST") + ",";
    }

    private static boolean isThere(Gone gone, String threads) {
        return threads.contains("," + gone.client().threadId() + ",");
    }
}
