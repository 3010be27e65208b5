package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.Packet;
import io.understudy.it.ProxyUnderTest;
import io.understudy.it.RawClient;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** State changes that the proxy requests for itself reach plugins and not clients: the client's bytes are unchanged. */
class GtidTrackingServerTest {
    private static final int QUERY = 3;
    private static final int INIT_DB = 2;
    private static final int RESET = 0x1F;

    static EmbeddedServer server;

    private final GtidProbe probe = new GtidProbe();

    @BeforeAll
    static void start() {
        server = EmbeddedServer.start(ServerOptions.of(1));
        server.execute("CREATE USER nopass IDENTIFIED BY ''", "GRANT ALL ON *.* TO nopass", "CREATE DATABASE shop");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void table() {
        server.execute(
                "CREATE OR REPLACE TABLE shop.t (id INT PRIMARY KEY, n INT)", "INSERT INTO shop.t VALUES (1, 1)");
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                RawClient.DEPRECATE_EOF,
                RawClient.SESSION_TRACK,
                RawClient.SESSION_TRACK | RawClient.DEPRECATE_EOF
            })
    void clientsSeeWhatTheyWouldSeeDirectly(long capabilities) throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), "", "", probe);
                RawClient direct = RawClient.open(new InetSocketAddress("127.0.0.1", server.port()));
                RawClient through = RawClient.open(proxy.address())) {
            assertThat(login(through, capabilities)).isEqualTo(login(direct, capabilities));
            step(direct, through, INIT_DB, "shop");
            step(direct, through, QUERY, "UPDATE shop.t SET n = n + 1");
            step(direct, through, QUERY, "SET NAMES utf8mb4");
            step(direct, through, QUERY, "USE mysql");
            step(direct, through, QUERY, "BEGIN");
            step(direct, through, QUERY, "ROLLBACK");
            step(direct, through, RESET, "");
            step(direct, through, QUERY, "UPDATE shop.t SET n = n + 1");
            step(direct, through, QUERY, "SET session_track_system_variables = 'autocommit'");
            step(direct, through, QUERY, "SET autocommit = 1");
            step(direct, through, QUERY, "UPDATE shop.t SET n = n + 1");
            step(direct, through, QUERY, "no such statement");
            boolean deprecateEof = (capabilities & RawClient.DEPRECATE_EOF) != 0;
            List<String> expected = rows(direct, "SELECT n > 0 FROM shop.t", deprecateEof);
            assertThat(rows(through, "SELECT n > 0 FROM shop.t", deprecateEof)).containsExactlyElementsOf(expected);

            await().untilAsserted(() -> assertThat(probe.gtids).hasSize(3).allMatch(gtid -> gtid.matches("0-1-\\d+")));
            assertThat(proxy.meters()
                            .get("understudy.injected.statements")
                            .tag("plugin", "core")
                            .tag("outcome", "ok")
                            .counter()
                            .count())
                    .isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"'last_gtid'", "'*'"})
    void variablesThatTheClientTracksAreSentToIt(String list) throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), "", "", probe);
                RawClient through = RawClient.open(proxy.address())) {
            login(through, RawClient.SESSION_TRACK);
            through.command(QUERY, "SET session_track_system_variables = " + list);
            assertThat(through.read().isOk()).isTrue();
            through.command(QUERY, "UPDATE shop.t SET n = n + 1");
            assertThat(new String(through.read().payload(), StandardCharsets.ISO_8859_1))
                    .contains("last_gtid");
            await().untilAsserted(() -> assertThat(probe.gtids).hasSize(1));
        }
    }

    /** All commands of a session, sent at once. */
    static List<List<byte[]>> pipelines() {
        byte[] unknown = {0x7F};
        byte[] update = query("UPDATE shop.t SET n = n + 1");
        byte[] list = query("SET session_track_system_variables = 'autocommit'");
        byte[] all = query("SET session_track_system_variables = '*'");
        return List.of(
                List.of(unknown, update),
                List.of(unknown, unknown, update),
                List.of(unknown, prepare("UPDATE shop.t SET n = n + 1")),
                List.of(update, unknown, update),
                List.of(query("DO 1"), unknown, update),
                List.of(new byte[] {RESET}, unknown, update),
                List.of(update, list, update),
                List.of(update, all, update));
    }

    private static byte[] query(String sql) {
        return ("\3" + sql).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] prepare(String sql) {
        return ("\u0016" + sql).getBytes(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @MethodSource("pipelines")
    void whatIsSentBesideAWriteLeavesItsResponse(List<byte[]> commands) throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), "", "", probe);
                RawClient direct = RawClient.open(new InetSocketAddress("127.0.0.1", server.port()));
                RawClient through = RawClient.open(proxy.address())) {
            for (RawClient client : List.of(direct, through)) {
                login(client, RawClient.SESSION_TRACK);
                for (byte[] each : commands) {
                    client.write(0, each);
                }
                client.flush();
            }
            for (int i = 0; i < commands.size(); i++) {
                assertThat(comparable(through.read())).as("response %d", i).isEqualTo(comparable(direct.read()));
            }
        }
    }

    /** Without the id of a prepared statement, and without the end of a GTID. */
    private static String comparable(Packet packet) {
        String text = new String(packet.payload(), StandardCharsets.ISO_8859_1).replaceAll("0-1-\\d+", "GTID");
        boolean prepared = packet.payload().length == 12 && packet.payload()[0] == 0;
        return prepared ? text.substring(5) : text;
    }

    private static String login(RawClient client, long capabilities) throws Exception {
        Packet response = client.tryLogin("nopass", "", "", RawClient.PLAIN | capabilities);
        assertThat(response.isOk()).isTrue();
        return response.hex();
    }

    private static void step(RawClient direct, RawClient through, int code, String text) throws Exception {
        direct.command(code, text);
        through.command(code, text);
        assertThat(through.read().hex()).as(text).isEqualTo(direct.read().hex());
    }

    /** Runs a query of one column without NULLs. Returns all packets of its response. */
    private static List<String> rows(RawClient client, String sql, boolean deprecateEof) throws Exception {
        client.command(QUERY, sql);
        List<String> all = new ArrayList<>();
        all.add(client.read().hex());
        int ends = deprecateEof ? 1 : 2;
        while (ends > 0) {
            Packet next = client.read();
            all.add(next.hex());
            boolean end = (next.payload()[0] & 0xFF) == 0xFE && all.size() > 2;
            ends -= end ? 1 : 0;
        }
        return all;
    }
}
