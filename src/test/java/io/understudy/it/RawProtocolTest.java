package io.understudy.it;

import static io.understudy.it.SideBySide.hex;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that drivers do not send, or not so, byte by byte: directly and through the proxy. */
class RawProtocolTest {
    private static final int ER_UNKNOWN_COM_ERROR = 1047;
    /** Uptime and counters. */
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");

    private static SideBySide both;
    private static ServerUnderTest server;
    private static ProxyUnderTest proxy;

    @BeforeAll
    static void start() throws Exception {
        both = SideBySide.start();
        server = both.server();
        proxy = both.proxy();
    }

    @AfterAll
    static void stop() {
        both.close();
    }

    @Test
    void handshakePacketDiffersInCapabilitiesOnly() throws IOException {
        try (RawClient direct = RawClient.login(server.address(), server);
                RawClient proxied = RawClient.login(proxy.address(), server)) {
            assertThat(proxied.threadId()).isEqualTo(direct.threadId() + 1);
            // Compression and TLS are each leg's own: the proxy may offer them where the server does not.
            long ofALeg = Capabilities.COMPRESS | Capabilities.ZSTD_COMPRESSION | Capabilities.SSL;
            assertThat(proxied.serverCapabilities() & ~direct.serverCapabilities() & ~ofALeg)
                    .as("bits offered that the server has not")
                    .isZero();
        }
    }

    @Test
    void statistics() throws IOException {
        both.same(client -> {
            client.command(CommandCode.STATISTICS, "");
            String text = new String(client.read().payload(), StandardCharsets.UTF_8);
            return List.of(NUMBERS.matcher(text).replaceAll("#"));
        });
    }

    @Test
    void debug() throws IOException {
        both.same(client -> {
            client.command(CommandCode.DEBUG, "");
            return hex(client.read());
        });
    }

    @Test
    void setOption() throws IOException {
        both.same(client -> {
            List<String> seen = new ArrayList<>();
            for (int option : new int[] {0, 1, 7}) {
                client.command(
                        CommandCode.SET_OPTION, new Payload().uint(option, 2).bytes());
                seen.add(client.read().hex());
                client.query("SELECT 1; SELECT 2");
                Packet head = client.read();
                seen.add(head.hex());
                for (int ends = 0; !head.isErr() && ends < 4; ) {
                    Packet next = client.read();
                    seen.add(next.hex());
                    ends += next.isEof() ? 1 : 0;
                }
            }
            return seen;
        });
    }

    @Test
    void processKill() throws IOException {
        both.same(client -> {
            client.command(
                    CommandCode.PROCESS_KILL, new Payload().uint(0x7FFFFFF0, 4).bytes());
            Packet ofNobody = client.read();
            List<String> seen = new ArrayList<>(hex(ofNobody));
            if (ofNobody.errorCode() == ER_UNKNOWN_COM_ERROR) {
                return seen; // MySQL 9 has KILL as a statement only
            }
            client.command(
                    CommandCode.PROCESS_KILL,
                    new Payload().uint(client.threadId(), 4).bytes());
            seen.addAll(hex(client.readAll()));
            return seen;
        });
    }

    /** Codes that no product knows, and some that only one does: refused by the server, and the session goes on. */
    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x05, 0x06, 0x08, 0x0B, 0x0F, 0x10, 0x13, 0x1D, 0x20, 0x22, 0x60, 0xC8, 0xFD, 0xFF})
    void oddCommands(int code) throws IOException {
        both.same(client -> {
            List<String> seen = new ArrayList<>();
            client.command(code, "argument");
            client.command(CommandCode.PING, "");
            seen.add(client.read().hex());
            seen.add(client.read().hex());
            client.query("SELECT 'on'");
            seen.addAll(hex(client.readResult()));
            return seen;
        });
    }

    /** Flushes the hosts' cache, which both products let this account do. */
    @Test
    void refresh() throws IOException {
        both.same(client -> {
            client.command(CommandCode.REFRESH, new Payload().uint(8, 1).bytes());
            return hex(client.read());
        });
    }

    /** Rows of a process list differ from one moment to the next; its columns do not. */
    @Test
    void processInfo() throws IOException {
        both.same(client -> {
            client.command(CommandCode.PROCESS_INFO, "");
            List<String> seen = new ArrayList<>();
            for (Packet packet : client.readResult()) {
                seen.add(packet.hex());
                if (packet.isEof() || packet.isErr()) {
                    break;
                }
            }
            client.command(CommandCode.PING, "");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void emptyCommand() throws IOException {
        both.same(client -> {
            client.send(0, new byte[0]);
            List<String> seen = new ArrayList<>(hex(client.read()));
            client.command(CommandCode.PING, "");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void quitWithSomethingBehindIt() throws IOException {
        both.same(client -> {
            client.write(0, new byte[] {CommandCode.PING});
            client.write(0, new byte[] {CommandCode.QUIT});
            client.write(0, new byte[] {CommandCode.PING});
            client.flush();
            List<String> seen = new ArrayList<>(hex(client.readAll()));
            seen.add("closed");
            return seen;
        });
    }

    @Test
    void twoHundredCommandsAtOnce() throws IOException {
        both.same(client -> {
            for (int i = 0; i < 200; i++) {
                switch (i % 4) {
                    case 0 -> client.write(0, query("SELECT " + i + ", REPEAT('x', " + i * 40 + ")"));
                    case 1 -> client.write(0, new byte[] {CommandCode.PING});
                    case 2 -> client.write(0, query("SELECT no_such_column"));
                    default -> client.write(0, query("DO " + i));
                }
            }
            client.flush();
            List<String> seen = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                seen.addAll(hex(client.readResult()));
            }
            return seen;
        });
    }

    /** No cut of a packet may matter. */
    @Test
    void byteByByte() throws IOException {
        both.same(client -> {
            List<String> seen = new ArrayList<>();
            byte[] command = query("SELECT id, v FROM raw ORDER BY id");
            byte[] packet = new Payload()
                    .uint(command.length, 3)
                    .uint(0, 1)
                    .raw(command)
                    .bytes();
            for (byte b : packet) {
                client.sendRaw(new byte[] {b});
            }
            seen.addAll(hex(client.readResult()));
            return seen;
        });
    }

    private static byte[] query(String sql) {
        return new Payload().uint(3, 1).text(sql).bytes();
    }

    @Test
    void changeUser() throws IOException {
        both.assumeMariaDb();
        server.execute("CREATE OR REPLACE USER raw_user@'%' IDENTIFIED BY 'raw-Pass-1'");
        SideBySide.Dialogue dialogue = client -> {
            List<String> seen = new ArrayList<>();
            client.execute("SET @a = 1");
            client.changeUser(server.user(), server.password());
            seen.add(client.finishAuthentication(server.password()).hex());
            client.query("SELECT @a");
            seen.addAll(hex(client.readResult()));
            client.changeUser("raw_user", "raw-Pass-1");
            seen.add(client.finishAuthentication("raw-Pass-1").hex());
            client.query("SELECT CURRENT_USER(), DATABASE()");
            seen.addAll(hex(client.readResult()));
            client.changeUser("raw_user", "wrong");
            Packet refused = client.finishAuthentication("wrong");
            seen.add(refused.errorCode() + " " + refused.errorText());
            return seen;
        };
        both.same(dialogue);
        server.execute("DROP USER raw_user@'%'");
    }
}
