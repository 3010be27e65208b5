package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.FakeServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One side ends, orderly or not. The other side learns of it without delay, after the data in transit. */
class FailureTest {
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final String TABLE = ServerUnderTest.SCHEMA + ".failing";

    private static ServerUnderTest server;
    private static ProxyUnderTest proxy;

    @BeforeAll
    static void start() throws Exception {
        server = ServerUnderTest.shared();
        proxy = ProxyUnderTest.to(server.address());
        server.execute("CREATE OR REPLACE TABLE " + TABLE + " (a INT) ENGINE = InnoDB");
    }

    @AfterAll
    static void stop() {
        proxy.close();
    }

    private static boolean isGone(long thread) {
        return "0".equals(server.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " + thread));
    }

    private static String rows() {
        return String.valueOf(server.query("SELECT COUNT(*) FROM " + TABLE));
    }

    /** SIGKILL while the client reads a result: the client sees a close, never a terminator of the result. */
    @Test
    void aPrimaryKilledWithinAResultEndsItWithoutATerminator() throws Exception {
        try (EmbeddedServer own = EmbeddedServer.start(ServerOptions.of(72));
                ProxyUnderTest mine = ProxyUnderTest.to(own.address())) {
            ServerUnderTest victim = ServerUnderTest.of(own);
            victim.execute("CREATE DATABASE " + ServerUnderTest.SCHEMA);
            try (RawClient client = RawClient.login(mine.address(), victim)) {
                client.query("SELECT seq, REPEAT('x', 100000) FROM seq_1_to_100000");
                for (int i = 0; i < 20; i++) {
                    client.read();
                }
                own.kill();
                Packet last = new Packet(0, new byte[0]);
                List<Packet> rest = client.readAll();
                last = rest.isEmpty() ? last : rest.get(rest.size() - 1);
                assertThat(last.isEof()).as("an end of the result").isFalse();
            }
            try (RawClient next = RawClient.open(mine.address())) {
                assertThat(next.read().errorCode()).isEqualTo(1042);
            }
            own.restart();
            try (RawClient next = RawClient.login(mine.address(), victim)) {
                next.execute("DO 1");
            }
            await().atMost(SOON).until(() -> mine.sessions() == 0);
        }
    }

    @Test
    void anAbortedLoadDataInsertsNoRows() throws Exception {
        server.execute("TRUNCATE " + TABLE);
        RawClient client = RawClient.login(proxy.address(), server);
        client.query("LOAD DATA LOCAL INFILE 'x' INTO TABLE " + TABLE);
        assertThat(client.read().first()).isEqualTo(0xFB);
        client.write(2, "1\n".repeat(50_000).getBytes(StandardCharsets.UTF_8));
        client.send(3, "2\n".repeat(50_000).getBytes(StandardCharsets.UTF_8));
        client.reset();
        await().atMost(SOON).until(() -> isGone(client.threadId()));
        assertThat(rows()).as("rows of a load that was cut").isEqualTo("0");
    }

    @Test
    void aClientKilledWhileTheServerWorksEndsTheServersSession() throws Exception {
        RawClient client = RawClient.login(proxy.address(), server);
        client.query("SELECT seq, REPEAT('x', 100000) FROM seq_1_to_100000");
        client.read();
        client.reset();
        await().atMost(SOON).until(() -> isGone(client.threadId()));
        await().atMost(SOON).until(() -> proxy.sessions() == 0);
    }

    /** An open transaction is rolled back as soon as the client is gone, and its locks are released. */
    @Test
    void theTransactionOfAVanishedClientIsRolledBack() throws Exception {
        server.execute("TRUNCATE " + TABLE);
        RawClient client = RawClient.login(proxy.address(), server);
        client.execute("BEGIN");
        client.execute("INSERT INTO " + TABLE + " VALUES (1)");
        client.close();
        await().atMost(SOON).until(() -> isGone(client.threadId()));
        assertThat(rows()).isEqualTo("0");
    }

    /** A session that is killed while it waits gets the server's error, if the server sends one, and the close. */
    @Test
    void theServersErrorForAKilledSessionReachesTheClient() throws Exception {
        assertThat(lastWords(proxy.address())).isEqualTo(lastWords(server.address()));
    }

    private static List<String> lastWords(java.net.InetSocketAddress address) throws IOException {
        try (RawClient client = RawClient.login(address, server)) {
            client.query("SELECT SLEEP(60)");
            String asleep = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep' AND ID = ";
            await().atMost(SOON).until(() -> "1".equals(server.query(asleep + client.threadId())));
            server.execute("KILL " + client.threadId());
            return client.readAll().stream().map(Packet::hex).toList();
        }
    }

    /** The server closes after a result that the client has not read yet; the client gets all of it. */
    @Test
    void aResultBeforeTheServersCloseArrivesComplete() throws Exception {
        try (FakeServer fake = new FakeServer(connection -> {
                    connection.letInPlain();
                    connection.receive();
                    connection.raw(result(new byte[50_000], 400));
                });
                ProxyUnderTest mine = ProxyUnderTest.to(fake.address());
                RawClient client = RawClient.open(mine.address(), 8192)) {
            client.login("u", "", "s", RawClient.PLAIN);
            client.query("SELECT all");
            await().during(Duration.ofMillis(300)).atMost(SOON).until(() -> mine.sessions() <= 1);
            List<Packet> all = client.readAll();
            assertThat(all).hasSize(1 + 1 + 1 + 400 + 1);
            assertThat(all.get(all.size() - 1).isEof()).isTrue();
        }
    }

    private static byte[] result(byte[] value, int rows) {
        byte[] eof = Bytes.eof(ServerStatus.AUTOCOMMIT);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(Bytes.packet(1, Bytes.of(1)));
        out.writeBytes(Bytes.packet(2, Bytes.definition("v")));
        out.writeBytes(Bytes.packet(3, eof));
        byte[] row = Bytes.concat(Bytes.of(0xFC), Bytes.int2(value.length), value);
        for (int i = 0; i < rows; i++) {
            out.writeBytes(Bytes.packet(4 + i, row));
        }
        out.writeBytes(Bytes.packet(4 + rows, eof));
        return out.toByteArray();
    }

    /** A client that shuts down its output and keeps reading gets its responses, as on a direct connection. */
    @Test
    void aClientWithAClosedOutputGetsItsResponses() throws Exception {
        for (var address : List.of(server.address(), proxy.address())) {
            server.execute("TRUNCATE " + TABLE);
            try (RawClient client = RawClient.login(address, server)) {
                for (int i = 0; i < 20; i++) {
                    client.write(
                            0,
                            new Payload()
                                    .uint(3, 1)
                                    .text("INSERT INTO " + TABLE + " VALUES (" + i + ")")
                                    .bytes());
                }
                client.shutdownOutput();
                assertThat(client.readAll())
                        .as("responds at " + address)
                        .hasSize(20)
                        .allMatch(Packet::isOk);
            }
            assertThat(rows()).isEqualTo("20");
        }
    }

    @Test
    void drain() throws Exception {
        ProxyUnderTest mine = ProxyUnderTest.to(server.address());
        try (mine) {
            server.execute("TRUNCATE " + TABLE);
            RawClient idle = RawClient.login(mine.address(), server);
            RawClient finishing = RawClient.login(mine.address(), server);
            RawClient stuck = RawClient.login(mine.address(), server);
            finishing.execute("BEGIN");
            finishing.execute("INSERT INTO " + TABLE + " VALUES (1)");
            stuck.execute("BEGIN");
            stuck.execute("INSERT INTO " + TABLE + " VALUES (2)");
            CompletableFuture<Void> drained = CompletableFuture.runAsync(() -> drain(mine, Duration.ofSeconds(4)));
            assertThat(idle.readAll()).as("said to an idle session").hasSizeLessThanOrEqualTo(1);
            finishing.execute("INSERT INTO " + TABLE + " VALUES (1)");
            finishing.execute("COMMIT");
            assertThat(finishing.readAll()).as("said after the commit").hasSizeLessThanOrEqualTo(1);
            assertThat(drained).as("one is left").isNotDone();
            refused(mine);
            assertThat(stuck.readAll()).as("said at the timeout").hasSizeLessThanOrEqualTo(1);
            drained.join();
            await().atMost(SOON).until(() -> mine.sessions() == 0);
            await().atMost(SOON).until(() -> isGone(stuck.threadId()));
            assertThat(server.query("SELECT GROUP_CONCAT(a) FROM " + TABLE)).isEqualTo("1,1");
        }
    }

    /** A second SIGTERM does the same. */
    @Test
    void aDrainCanBeEnded() throws Exception {
        try (ProxyUnderTest mine = ProxyUnderTest.to(server.address());
                RawClient busy = RawClient.login(mine.address(), server)) {
            busy.execute("START TRANSACTION");
            CompletableFuture<Void> drained = CompletableFuture.runAsync(() -> drain(mine, Duration.ofMinutes(10)));
            await().atMost(SOON).until(() -> mine.server().registry().draining());
            assertThat(drained).isNotDone();
            mine.server().endDrain();
            assertThat(drained).succeedsWithin(SOON);
            // A session counts its end on its own event loop.
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(mine.count("understudy.sessions.closed", "drain_timeout"))
                            .isEqualTo(1));
        }
    }

    private static void drain(ProxyUnderTest proxy, Duration timeout) {
        try {
            proxy.server().drain(timeout);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Asserts that a new client gets an error or that its connection is refused. */
    private static void refused(ProxyUnderTest proxy) throws IOException {
        try (RawClient late = RawClient.open(proxy.address())) {
            assertThat(late.read().errorCode()).isEqualTo(1053);
        } catch (java.net.ConnectException nobodyListens) {
            assertThat(nobodyListens).isNotNull();
        }
    }

    @Test
    void connectionsAreRefusedAfterTheProxyEnds() throws Exception {
        ProxyUnderTest mine = ProxyUnderTest.to(server.address());
        RawClient open = RawClient.login(mine.address(), server);
        mine.close();
        assertThat(open.readAll()).hasSizeLessThanOrEqualTo(1);
        assertThatThrownBy(() -> RawClient.open(mine.address())).isInstanceOf(IOException.class);
        await().atMost(SOON).until(() -> isGone(open.threadId()));
    }
}
