package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.understudy.config.Transport;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sessions whose few bytes hold many, compressed or as commands that each need a response, through a proxy of little
 * memory: every other session gets what it asked for, and the proxy ends none. Each attack meets another transport; all
 * of them with {@code -Dunderstudy.it.everyTransport=true}.
 */
@Timeout(300)
@Tag("long")
class InflationAttackTest {
    private static final long COMPRESS = 32;
    private static final int LARGEST = 0xFF_FFFF;
    private static final int COMMAND = 1 << 20;
    private static final int ATTACKERS = Integer.getInteger("understudy.it.attackers", 200);
    private static final String HEAP = System.getProperty("understudy.it.heap", "128m");
    private static final boolean EVERY_TRANSPORT = Boolean.getBoolean("understudy.it.everyTransport");
    private static final int MANY = 30;
    private static final int MORE_RESULTS = 3;
    private static final Duration LONG = Duration.ofMinutes(2);

    private static final byte[] BOMB = frame(largest());
    private static final byte[] PLAIN_PINGS = pings();
    private static final byte[] PINGS = frame(PLAIN_PINGS);
    /** The beginning of a frame that never ends. */
    private static final byte[] HALF = Arrays.copyOf(frame(noise()), 8 << 20);

    /** Rows that zlib halves, so that the sockets fill up soon and the server has little work. */
    private static final int ROW = 256 * 1024;

    enum Attack {
        /** A frame of 16 kB that holds 16 MB, and half of another. */
        STATEMENTS {
            @Override
            void run(RawClient client) throws IOException {
                client.sendRaw(BOMB);
                client.sendRaw(HALF);
            }

            /** A quarter of each frame was relayed, as the connections take turns: all of them are being inflated. */
            @Override
            boolean inEffect(ServerUnderTest server, ProxyProcess proxy) throws IOException {
                return proxy.figures().bytesRelayed() >= (long) ATTACKERS * LARGEST / 4;
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

            @Override
            boolean inEffect(ServerUnderTest server, ProxyProcess proxy) {
                return running(server, "info LIKE 'SELECT SLEEP%'");
            }
        },
        /** A frame of millions of commands behind a statement that takes long. */
        TINY_COMMANDS {
            @Override
            void run(RawClient client) throws IOException {
                client.sendRaw(plain("SELECT SLEEP(60)"));
                client.sendRaw(PINGS);
            }

            @Override
            boolean inEffect(ServerUnderTest server, ProxyProcess proxy) {
                return running(server, "info LIKE 'SELECT SLEEP%'");
            }
        },
        /** The same without compression. */
        TINY_COMMANDS_PLAIN {
            @Override
            void run(RawClient client) throws IOException {
                client.sendRaw(Bytes.command(CommandCode.QUERY, "SELECT SLEEP(60)"));
                client.sendRaw(PLAIN_PINGS);
            }

            @Override
            boolean inEffect(ServerUnderTest server, ProxyProcess proxy) {
                return running(server, "info LIKE 'SELECT SLEEP%'");
            }

            @Override
            long capabilities() {
                return RawClient.PLAIN;
            }
        },
        /** The mirror image: a server's long compressed frames for a client that does not read. */
        CLIENT_DOES_NOT_READ {
            @Override
            void run(RawClient client) throws IOException {
                client.sendRaw(plain("SELECT v FROM noise, seq_1_to_1000"));
            }

            @Override
            boolean inEffect(ServerUnderTest server, ProxyProcess proxy) {
                return running(server, "info LIKE 'SELECT v%' AND state IN ('Writing to net', 'Sending to client')");
            }
        };

        /** Blocks where the proxy makes the client wait. */
        abstract void run(RawClient client) throws IOException;

        abstract boolean inEffect(ServerUnderTest server, ProxyProcess proxy) throws IOException;

        long capabilities() {
            return RawClient.PLAIN | COMPRESS;
        }
    }

    private static boolean running(ServerUnderTest server, String which) {
        String count = server.query("SELECT COUNT(*) FROM information_schema.processlist WHERE " + which);
        return String.valueOf(ATTACKERS).equals(count);
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
        assertThat(data.length).isLessThanOrEqualTo(LARGEST);
        return new Payload()
                .uint(data.length, 3)
                .uint(0, 1)
                .uint(original, 3)
                .raw(data)
                .bytes();
    }

    private static byte[] plain(String sql) {
        byte[] payload = new Payload().uint(3, 1).text(sql).bytes();
        return frame(Bytes.packet(0, payload), 0);
    }

    /**
     * Makes commands of what fills one frame. Of 1 MB each, so that 200 of them are no attack on the server's memory.
     */
    private static byte[] commands(byte[] content) {
        for (int at = 0; at < content.length; at += COMMAND) {
            int length = Math.min(COMMAND, content.length - at) - 4;
            content[at] = (byte) length;
            content[at + 1] = (byte) (length >> 8);
            content[at + 2] = (byte) (length >> 16);
            content[at + 3] = 0;
            content[at + 4] = 3;
        }
        return content;
    }

    private static byte[] pings() {
        byte[] content = new byte[LARGEST / 5 * 5];
        for (int at = 0; at < content.length; at += 5) {
            content[at] = 1;
            content[at + 4] = CommandCode.PING;
        }
        return content;
    }

    /** Blanks: empty statements. */
    private static byte[] largest() {
        byte[] content = new byte[LARGEST];
        Arrays.fill(content, (byte) ' ');
        return commands(content);
    }

    /** Much that cannot be compressed, so that the frame itself is long; within three bytes of length all the same. */
    private static byte[] noise() {
        byte[] content = new byte[LARGEST - (1 << 16)];
        new Random(1).nextBytes(content);
        return commands(content);
    }

    static Stream<Arguments> attacks() {
        List<Transport> transports = SlowNameServerTest.transports();
        return Arrays.stream(Attack.values())
                .flatMap(attack -> (EVERY_TRANSPORT
                                ? transports
                                : List.of(transports.get(attack.ordinal() % transports.size())))
                        .stream().map(transport -> arguments(transport, attack)));
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void othersAreNotHarmed(Transport transport, Attack attack) throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        // Attackers make the server wait longer than it does by itself where the machine has much else to do.
        server.execute(
                "SET GLOBAL max_connections = 1000",
                "SET GLOBAL net_write_timeout = 600",
                "SET GLOBAL net_read_timeout = 600");
        assertThat(BOMB.length).isLessThan(17_000);
        ExecutorService threads = Executors.newCachedThreadPool();
        List<RawClient> attackers = new ArrayList<>();
        Path folder = Files.createTempDirectory("us");
        // The kernel keeps less for a socket file than for TCP.
        Path file = folder.resolve("p");
        String yaml = ProxyUnderTest.config(
                        "127.0.0.1:0\", \"unix:" + file, server.address(), "", "transport: " + transport)
                .replaceFirst("(\"127.*p\")", "[ $1 ]");
        if (attack == Attack.CLIENT_DOES_NOT_READ) {
            noiseTable(server);
            yaml = yaml.replace("{ mode: disabled }", "{ mode: disabled }, compression: [ zlib ]")
                    .replaceFirst("primary: \\{ address: \"[^\"]*\"", "primary: { address: \"" + socket(server) + "\"");
        }
        try (ProxyProcess proxy = ProxyProcess.startWith(yaml, "-Xmx" + HEAP);
                Bystanders others = new Bystanders(server, proxy.address())) {
            for (int i = 0; i < ATTACKERS; i++) {
                RawClient attacker = open(file);
                attackers.add(attacker);
                attacker.login(server.user(), server.password(), ServerUnderTest.SCHEMA, attack.capabilities());
            }
            for (RawClient attacker : attackers) {
                threads.submit(() -> {
                    attack.run(attacker);
                    return null;
                });
            }
            await().pollInterval(Duration.ofMillis(500))
                    .atMost(LONG)
                    .until(() -> others.areHarmed() || attack.inEffect(server, proxy));
            others.awaitResults(MORE_RESULTS);
            ProxyProcess.Figures figures = proxy.figures();
            others.finish();
            assertThat(figures.closed())
                    .as("sessions that ended, after %s results, %s", others.results(), figures)
                    .isEmpty();
        } finally {
            for (RawClient attacker : attackers) {
                attacker.close();
            }
            threads.shutdownNow();
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }

    private static void noiseTable(ServerUnderTest server) {
        Random random = new Random(1);
        StringBuilder hex = new StringBuilder();
        while (hex.length() < ROW) {
            hex.append(Integer.toHexString(random.nextInt()));
        }
        server.execute(
                "CREATE OR REPLACE TABLE " + ServerUnderTest.SCHEMA + ".noise (v LONGTEXT)",
                "INSERT INTO " + ServerUnderTest.SCHEMA + ".noise VALUES ('" + hex + "')");
    }

    /** The server's socket file where this machine has it, for the same reason. */
    private static String socket(ServerUnderTest server) {
        String path = String.valueOf(server.query("SELECT @@socket"));
        return Files.exists(Path.of(path))
                ? "unix:" + path
                : server.address().getHostString() + ":" + server.address().getPort();
    }

    private static RawClient open(Path file) throws IOException {
        SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
        socket.connect(UnixDomainSocketAddress.of(file));
        return RawClient.over(Channels.newInputStream(socket), Channels.newOutputStream(socket), socket);
    }
}
