package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.Capabilities;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs one session for each capability bit that the server offers, in addition to the usual bits, and one session with
 * all of them. Each sends the same commands directly and through the proxy. All response bytes must be equal.
 */
class CapabilitiesTest {
    private static final String USER = "it_capable";
    private static final String EXPIRED = "it_capable_exp";

    /** TLS and compression belong to one leg; the package {@code legs} tests them. */
    private static final long OF_A_LEG = Capabilities.SSL | Capabilities.COMPRESS | Capabilities.ZSTD_COMPRESSION;
    /** Not offered to clients, because their meaning is unknown or they need a special client. */
    private static final long NOT_OFFERED = Capabilities.CAPABILITY_EXTENSION | Capabilities.MARIADB_COM_MULTI;

    private static ServerUnderTest server;
    private static ProxyUnderTest proxy;
    private static long offered;

    @BeforeAll
    static void start() throws Exception {
        server = ServerUnderTest.shared();
        proxy = ProxyUnderTest.to(server.address());
        String table = ServerUnderTest.SCHEMA + ".capable";
        server.execute(
                "DROP TABLE IF EXISTS " + table,
                "CREATE TABLE " + table + " (id INT PRIMARY KEY, js JSON, po POINT, v VARCHAR(20))",
                "INSERT INTO " + table + " VALUES (1, '[1]', POINT(1, 2), 'one'), (2, NULL, NULL, NULL)");
        for (String user : new String[] {USER, EXPIRED}) {
            server.execute(
                    "DROP USER IF EXISTS '" + user + "'@'%'",
                    "CREATE USER '" + user + "'@'%' IDENTIFIED BY ''",
                    "GRANT ALL ON " + ServerUnderTest.SCHEMA + ".* TO '" + user + "'@'%'");
        }
        server.execute("ALTER USER '" + EXPIRED + "'@'%' PASSWORD EXPIRE");
        try (RawClient client = RawClient.open(server.address())) {
            client.login(USER, "", ServerUnderTest.SCHEMA, RawClient.PLAIN);
            offered = client.serverCapabilities();
        }
    }

    @AfterAll
    static void stop() {
        proxy.close();
    }

    private static long base() {
        return server.isMariaDb() ? RawClient.PLAIN & ~Capabilities.LONG_PASSWORD : RawClient.PLAIN;
    }

    static LongStream bits() {
        return LongStream.range(0, 64)
                .map(bit -> 1L << bit)
                .filter(bit -> (offered & bit & ~(OF_A_LEG | NOT_OFFERED)) != 0);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bits")
    void aSingleFurtherCapabilityChangesNothing(long bit) throws IOException {
        same(USER, base() | bit);
    }

    @Test
    void allCapabilitiesTogetherChangeNothing() throws IOException {
        same(USER, base() | bits().reduce(0, (a, b) -> a | b));
    }

    /** Without the bit the login fails. With it, every command fails until the password is changed. */
    @Test
    void anExpiredPasswordIsHandledAsDirectly() throws IOException {
        same(EXPIRED, base());
        same(EXPIRED, base() | Capabilities.CAN_HANDLE_EXPIRED_PASSWORDS);
    }

    @Test
    void onlySupportedCapabilitiesAreOffered() throws IOException {
        try (RawClient client = RawClient.open(proxy.address())) {
            client.login(USER, "", ServerUnderTest.SCHEMA, RawClient.PLAIN);
            assertThat(client.serverCapabilities() & ~OF_A_LEG)
                    .isEqualTo(offered & ~OF_A_LEG & ~NOT_OFFERED & knownTo());
        }
    }

    private static long knownTo() {
        return (Capabilities.MARIADB_BULK_UNIT_RESULTS << 1) - 1;
    }

    private static void same(String user, long capabilities) throws IOException {
        List<String> direct = play(server.address(), user, capabilities);
        List<String> proxied = play(proxy.address(), user, capabilities);
        boolean loggedIn =
                direct.get(0).substring(direct.get(0).indexOf(':') + 1).startsWith("00");
        assertThat(direct).as("packets of the responses").hasSizeGreaterThan(loggedIn && user.equals(USER) ? 45 : 0);
        assertThat(Transcript.difference(direct, proxied)).isEmpty();
    }

    private static List<String> play(InetSocketAddress address, String user, long capabilities) throws IOException {
        List<String> seen = new ArrayList<>();
        try (RawClient client = RawClient.open(address)) {
            Packet response = client.tryLogin(user, "", ServerUnderTest.SCHEMA, capabilities);
            seen.add(response.hex());
            if (!response.isOk()) {
                return seen;
            }
            for (byte[] command : commands((capabilities & Capabilities.QUERY_ATTRIBUTES) != 0)) {
                client.write(0, command);
            }
            client.flush();
            for (Packet packet : client.readAll()) {
                seen.add(withoutStatementId(packet));
            }
        }
        return seen;
    }

    /** MariaDB numbers prepared statements across all sessions. */
    private static String withoutStatementId(Packet packet) {
        if (packet.sequence() == 1 && packet.isOk() && packet.payload().length == 12) {
            Arrays.fill(packet.payload(), 1, 5, (byte) 0);
        }
        return packet.hex();
    }

    private static List<byte[]> commands(boolean attributes) {
        List<byte[]> all = new ArrayList<>();
        for (String sql : new String[] {
            "SELECT id, js, po, v FROM capable ORDER BY id",
            "SELECT id FROM capable WHERE FALSE",
            "SELECT @@wait_timeout, @@interactive_timeout",
            "UPDATE capable SET v = 'one' WHERE id = 1",
            "USE " + ServerUnderTest.SCHEMA,
            "SET @@autocommit = 0",
            "SET @@autocommit = 1",
            "SET NAMES latin1",
            "SELECT COUNT (*) FROM capable",
            "SELECT 1; SELECT 2",
            "SELECT * FROM " + ServerUnderTest.SCHEMA + ".capable ORDER BY id",
            "INSERT INTO capable VALUES (1, NULL, NULL, NULL)",
            "SELECT no_such_column FROM capable",
        }) {
            Payload query = new Payload().uint(3, 1);
            // No attributes: parameter_count 0 and parameter_set_count 1.
            all.add((attributes ? query.uint(0, 1).uint(1, 1) : query).text(sql).bytes());
        }
        // MySQL numbers statements per session from 1. MariaDB accepts -1 for the latest statement.
        long id = server.isMariaDb() ? 0xFFFF_FFFFL : 1;
        all.add(new Payload()
                .uint(0x16, 1)
                .text("SELECT id, js, v FROM capable ORDER BY id")
                .bytes());
        for (int i = 0; i < 3; i++) {
            all.add(new Payload()
                    .uint(0x17, 1)
                    .uint(id, 4)
                    .uint(0, 1)
                    .uint(1, 4)
                    .bytes());
        }
        all.add(new Payload().uint(0x1F, 1).bytes());
        all.add(new Payload().uint(0x0E, 1).bytes());
        all.add(new Payload().uint(0x01, 1).bytes());
        return all;
    }
}
