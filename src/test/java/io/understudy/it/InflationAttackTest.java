package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.it.RawClient.Packet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compressed sessions whose few bytes hold many, through a proxy of little memory: every other session gets what it
 * asked for, and the proxy ends none.
 */
@Timeout(180)
class InflationAttackTest {
    private static final long COMPRESS = 32;
    private static final int LARGEST = 0xFF_FFFF;
    private static final int ATTACKERS = Integer.getInteger("understudy.it.attackers", 200);
    private static final String HEAP = System.getProperty("understudy.it.heap", "128m");
    private static final int MANY = 30;
    private static final int SECONDS = 10;

    private static final byte[] BOMB = frame(largest());
    /** The beginning of a frame that never ends. */
    private static final byte[] HALF = Arrays.copyOf(frame(noise()), 8 << 20);

    enum Attack {
        /** A frame of 16 kB that holds 16 MB, and half of another. */
        STATEMENTS {
            @Override
            void run(RawClient client) throws IOException {
                client.sendRaw(BOMB);
                client.sendRaw(HALF);
            }
        },
        /** Many such frames for a server that does not read meanwhile. */
        SERVER_DOES_NOT_READ {
            @Override
            void run(RawClient client) throws IOException {
                client.sendRaw(plain("SELECT SLEEP(60)"));
                for (int i = 0; i < MANY; i++) {
                    client.sendRaw(BOMB);
                }
            }
        },
        /** The mirror image: a server's compressed frames of 4 MB for a client that does not read. */
        CLIENT_DOES_NOT_READ {
            @Override
            void run(RawClient client) throws IOException {
                // Six to one, so that the sockets fill up soon.
                client.sendRaw(plain("SELECT REPEAT((SELECT GROUP_CONCAT(CONCAT(SHA2(seq, 512), REPEAT(' ', 300))"
                        + " SEPARATOR '') FROM seq_1_to_1000), 10) FROM seq_1_to_9000"));
            }

            /** Fewer, for the work that each makes for the server. */
            @Override
            int sessions() {
                return Math.max(1, ATTACKERS / 10);
            }
        };

        abstract void run(RawClient client) throws IOException;

        int sessions() {
            return ATTACKERS;
        }
    }

    private static byte[] frame(byte[] content) {
        Deflater deflater = new Deflater();
        deflater.setInput(content);
        deflater.finish();
        byte[] data = new byte[content.length + (1 << 16)];
        int length = deflater.deflate(data);
        deflater.end();
        return frame(Arrays.copyOf(data, length), content.length);
    }

    /** @param original 0 where {@code data} is not compressed */
    private static byte[] frame(byte[] data, int original) {
        return new RawClient.Bytes()
                .uint(data.length, 3)
                .uint(0, 1)
                .uint(original, 3)
                .raw(data)
                .bytes();
    }

    private static byte[] plain(String sql) {
        byte[] payload = new RawClient.Bytes().uint(3, 1).text(sql).bytes();
        return frame(FakeServer.packet(0, payload), 0);
    }

    /** A command of as many bytes as one frame can hold. */
    private static byte[] command(byte[] content) {
        int length = content.length - 4;
        content[0] = (byte) length;
        content[1] = (byte) (length >> 8);
        content[2] = (byte) (length >> 16);
        content[3] = 0;
        content[4] = 3;
        return content;
    }

    /** {@code DO 1} and blanks. */
    private static byte[] largest() {
        byte[] content = new byte[LARGEST];
        Arrays.fill(content, (byte) ' ');
        content[5] = 'D';
        content[6] = 'O';
        content[8] = '1';
        return command(content);
    }

    /** Much that cannot be compressed, so that the frame itself is long. */
    private static byte[] noise() {
        byte[] content = new byte[LARGEST];
        new Random(1).nextBytes(content);
        return command(content);
    }

    @ParameterizedTest
    @EnumSource
    void othersAreNotHarmed(Attack attack) throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        server.execute("SET GLOBAL max_connections = 1000");
        assertThat(BOMB.length).isLessThan(17_000);
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        List<RawClient> attackers = new ArrayList<>();
        Path folder = Files.createTempDirectory("us");
        // The kernel keeps less for a socket file than for TCP.
        Path file = folder.resolve("p");
        String yaml = ProxyUnderTest.config("127.0.0.1:0\", \"unix:" + file, server.address(), "", "")
                .replaceFirst("(\"127.*p\")", "[ $1 ]");
        if (attack == Attack.CLIENT_DOES_NOT_READ) {
            yaml = yaml.replace("{ mode: disabled }", "{ mode: disabled }, compression: [ zlib ]");
        }
        try (ProxyProcess proxy = ProxyProcess.startWith(yaml, "-Xmx" + HEAP)) {
            InetSocketAddress address = proxy.address();
            List<Future<Long>> healthy = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                healthy.add(threads.submit(repeated(server, address, over, "SELECT 1", 1)));
                healthy.add(threads.submit(
                        repeated(server, address, over, "SELECT seq, REPEAT('x', 500) FROM seq_1_to_5000", 5000)));
            }
            healthy.add(threads.submit(compressed(server, address, over)));
            for (int i = 0; i < attack.sessions(); i++) {
                RawClient attacker = open(file);
                attacker.login(server.user(), server.password(), ServerUnderTest.SCHEMA, RawClient.PLAIN | COMPRESS);
                attackers.add(attacker);
            }
            for (RawClient attacker : attackers) {
                threads.submit(() -> {
                    attack.run(attacker);
                    return null;
                });
            }
            long direct = 0;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (System.nanoTime() < end) {
                assertThat(proxy.isAlive()).as("the proxy lives").isTrue();
                direct = Math.max(direct, proxy.figures().direct());
                TimeUnit.MILLISECONDS.sleep(100);
            }
            ProxyProcess.Figures figures = proxy.figures();
            over.set(true);
            List<Long> results = new ArrayList<>();
            for (Future<Long> one : healthy) {
                results.add(one.get(60, TimeUnit.SECONDS));
            }
            System.out.println(attack + ", " + attack.sessions() + " attackers, heap " + HEAP + ": results " + results
                    + ", direct memory " + (direct >> 20) + " MiB at most, peak of the heap "
                    + (figures.heapPeak() >> 20) + " MiB, relayed " + (figures.bytesRelayed() >> 20) + " MiB");
            assertThat(results).as("results of each healthy session").allMatch(some -> some >= 2);
            // An attacker may be ended by its limit; a healthy session that is ended fails above.
            assertThat(figures.closed()).as("sessions that the proxy ended").isLessThanOrEqualTo(attack.sessions());
        } finally {
            over.set(true);
            for (RawClient attacker : attackers) {
                attacker.close();
            }
            threads.shutdownNow();
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }

    private static RawClient open(Path file) throws IOException {
        SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
        socket.connect(UnixDomainSocketAddress.of(file));
        return RawClient.over(Channels.newInputStream(socket), Channels.newOutputStream(socket), socket);
    }

    private static Callable<Long> repeated(
            ServerUnderTest server, InetSocketAddress address, AtomicBoolean over, String sql, int rows) {
        return () -> {
            long done = 0;
            try (RawClient client = RawClient.login(address, server)) {
                while (!over.get()) {
                    client.query(sql);
                    int seen = 0;
                    int ends = 0;
                    while (ends < 2) {
                        Packet packet = client.read();
                        assertThat(packet.isErr()).isFalse();
                        if (packet.isEof()) {
                            ends++;
                        } else if (ends == 1) {
                            seen++;
                        }
                    }
                    assertThat(seen).isEqualTo(rows);
                    done++;
                }
            }
            return done;
        };
    }

    /** A healthy session that compresses long frames itself. */
    private static Callable<Long> compressed(ServerUnderTest server, InetSocketAddress address, AtomicBoolean over) {
        String literal = "x".repeat(1 << 20);
        return () -> {
            long done = 0;
            String url = "jdbc:mariadb://127.0.0.1:" + address.getPort() + "/?sslMode=disable&useCompression=true";
            try (Connection connection = DriverManager.getConnection(url, server.user(), server.password());
                    Statement statement = connection.createStatement()) {
                while (!over.get()) {
                    try (ResultSet rows = statement.executeQuery("SELECT '" + literal + "'")) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getString(1)).isEqualTo(literal);
                    }
                    done++;
                }
            }
            return done;
        };
    }
}
