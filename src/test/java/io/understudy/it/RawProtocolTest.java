package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.it.RawClient.Packet;
import io.understudy.it.RawClient.Payload;
import io.understudy.wire.Capabilities;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What drivers do not do, byte by byte: the same commands directly and through the proxy. */
class RawProtocolTest {
    private static final int ER_UNKNOWN_COM_ERROR = 1047;
    private static final int COM_QUIT = 0x01;
    private static final int COM_INIT_DB = 0x02;
    private static final int COM_FIELD_LIST = 0x04;
    private static final int COM_REFRESH = 0x07;
    private static final int COM_STATISTICS = 0x09;
    private static final int COM_PROCESS_INFO = 0x0A;
    private static final int COM_PROCESS_KILL = 0x0C;
    private static final int COM_DEBUG = 0x0D;
    private static final int COM_PING = 0x0E;
    private static final int COM_CHANGE_USER = 0x11;
    private static final int COM_BINLOG_DUMP = 0x12;
    private static final int COM_REGISTER_SLAVE = 0x15;
    private static final int COM_STMT_PREPARE = 0x16;
    private static final int COM_STMT_EXECUTE = 0x17;
    private static final int COM_STMT_SEND_LONG_DATA = 0x18;
    private static final int COM_STMT_CLOSE = 0x19;
    private static final int COM_STMT_RESET = 0x1A;
    private static final int COM_SET_OPTION = 0x1B;
    private static final int COM_STMT_FETCH = 0x1C;
    private static final int COM_RESET_CONNECTION = 0x1F;

    /** Uptime and counters. */
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");

    private static ServerUnderTest server;
    private static ProxyUnderTest proxy;

    @BeforeAll
    static void start() throws Exception {
        server = ServerUnderTest.shared();
        proxy = ProxyUnderTest.to(server.address());
        server.execute(
                "DROP TABLE IF EXISTS " + ServerUnderTest.SCHEMA + ".raw",
                "CREATE TABLE " + ServerUnderTest.SCHEMA + ".raw (id INT PRIMARY KEY, v VARCHAR(20) DEFAULT 'd')",
                "INSERT INTO " + ServerUnderTest.SCHEMA + ".raw VALUES (1, 'one'), (2, NULL)");
    }

    @AfterAll
    static void stop() {
        proxy.close();
    }

    private static void assumeMariaDb() {
        assumeTrue(server.isMariaDb(), "this client knows MariaDB's side of it only");
    }

    private interface Dialogue {
        /** Says something and returns what came back. */
        List<String> with(RawClient client) throws IOException;
    }

    private static void same(long capabilities, Dialogue dialogue) throws IOException {
        List<String> direct = play(server.address(), capabilities, dialogue);
        List<String> proxied = play(proxy.address(), capabilities, dialogue);
        assertThat(direct).as("something was observed").isNotEmpty();
        assertThat(Transcript.difference(direct, proxied)).isEmpty();
    }

    private static void same(Dialogue dialogue) throws IOException {
        same(RawClient.PLAIN, dialogue);
    }

    private static List<String> play(InetSocketAddress address, long capabilities, Dialogue dialogue)
            throws IOException {
        try (RawClient client = RawClient.login(address, server, capabilities)) {
            return dialogue.with(client);
        }
    }

    private static List<String> hex(List<Packet> packets) {
        return packets.stream().map(Packet::hex).toList();
    }

    private static List<String> hex(Packet packet) {
        return List.of(packet.hex());
    }

    @Test
    void greetingDiffersInCapabilitiesOnly() throws IOException {
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
        same(client -> {
            client.command(COM_STATISTICS, "");
            String text = new String(client.read().payload(), StandardCharsets.UTF_8);
            return List.of(NUMBERS.matcher(text).replaceAll("#"));
        });
    }

    @Test
    void debug() throws IOException {
        same(client -> {
            client.command(COM_DEBUG, "");
            return hex(client.read());
        });
    }

    @Test
    void fieldList() throws IOException {
        same(client -> {
            client.command(COM_FIELD_LIST, "raw\0%");
            List<String> seen = new ArrayList<>();
            Packet next;
            do {
                next = client.read();
                seen.add(next.hex());
            } while (!next.isEof() && !next.isErr());
            client.command(COM_FIELD_LIST, "no_such_table\0");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void setOption() throws IOException {
        same(client -> {
            List<String> seen = new ArrayList<>();
            for (int option : new int[] {0, 1, 7}) {
                client.command(COM_SET_OPTION, new Payload().uint(option, 2).bytes());
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
        same(client -> {
            client.command(COM_PROCESS_KILL, new Payload().uint(0x7FFFFFF0, 4).bytes());
            Packet ofNobody = client.read();
            List<String> seen = new ArrayList<>(hex(ofNobody));
            if (ofNobody.errorCode() == ER_UNKNOWN_COM_ERROR) {
                return seen; // MySQL 9 has KILL as a statement only
            }
            client.command(
                    COM_PROCESS_KILL, new Payload().uint(client.threadId(), 4).bytes());
            seen.addAll(hex(client.readAll()));
            return seen;
        });
    }

    /** Codes that no product knows, and some that only one does: refused by the server, and the session goes on. */
    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x05, 0x06, 0x08, 0x0B, 0x0F, 0x10, 0x13, 0x1D, 0x20, 0x22, 0x60, 0xC8, 0xFD, 0xFF})
    void oddCommands(int code) throws IOException {
        same(client -> {
            List<String> seen = new ArrayList<>();
            client.command(code, "argument");
            client.command(COM_PING, "");
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
        same(client -> {
            client.command(COM_REFRESH, new Payload().uint(8, 1).bytes());
            return hex(client.read());
        });
    }

    /** Rows of a process list differ from one moment to the next; its columns do not. */
    @Test
    void processInfo() throws IOException {
        same(client -> {
            client.command(COM_PROCESS_INFO, "");
            List<String> seen = new ArrayList<>();
            for (Packet packet : client.readResult()) {
                seen.add(packet.hex());
                if (packet.isEof() || packet.isErr()) {
                    break;
                }
            }
            client.command(COM_PING, "");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void registerSlave() throws IOException {
        same(client -> {
            client.command(
                    COM_REGISTER_SLAVE,
                    new Payload()
                            .uint(7174, 4)
                            .uint(4, 1)
                            .text("host")
                            .uint(0, 1)
                            .uint(0, 1)
                            .uint(3306, 2)
                            .uint(0, 4)
                            .uint(0, 4)
                            .bytes());
            List<String> seen = new ArrayList<>(hex(client.read()));
            client.command(COM_PING, "");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void emptyCommand() throws IOException {
        same(client -> {
            client.send(0, new byte[0]);
            List<String> seen = new ArrayList<>(hex(client.read()));
            client.command(COM_PING, "");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void quitWithSomethingBehindIt() throws IOException {
        same(client -> {
            client.write(0, new byte[] {COM_PING});
            client.write(0, new byte[] {COM_QUIT});
            client.write(0, new byte[] {COM_PING});
            client.flush();
            List<String> seen = new ArrayList<>(hex(client.readAll()));
            seen.add("closed");
            return seen;
        });
    }

    @Test
    void twoHundredCommandsAtOnce() throws IOException {
        same(client -> {
            for (int i = 0; i < 200; i++) {
                switch (i % 4) {
                    case 0 -> client.write(0, query("SELECT " + i + ", REPEAT('x', " + i * 40 + ")"));
                    case 1 -> client.write(0, new byte[] {COM_PING});
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
        same(client -> {
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

    /** A select list without a table has no limit on MariaDB; MySQL refuses it. */
    @Test
    void moreColumnsThanSixteenBitsCount() throws IOException {
        double unread = proxy.unread();
        same(client -> {
            client.query("SELECT " + "1,".repeat(68_000) + "1");
            List<Packet> result = client.readResult();
            client.query("SELECT 2");
            return List.of(
                    String.valueOf(result.size()),
                    result.get(0).hex(),
                    result.get(result.size() - 1).hex(),
                    hex(client.readResult()).toString());
        });
        assertThat(proxy.unread()).isEqualTo(unread);
    }

    @Test
    void eofDeprecated() throws IOException {
        same(RawClient.PLAIN | RawClient.DEPRECATE_EOF | RawClient.MULTI_STATEMENTS, client -> {
            List<String> seen = new ArrayList<>();
            client.query("SELECT id, v FROM raw ORDER BY id; SELECT 2 FROM DUAL WHERE FALSE");
            // Two columns and two rows, then one column and none; each result is closed by one packet.
            for (int i = 0; i < 1 + 2 + 2 + 1 + 1 + 1 + 1; i++) {
                seen.add(client.read().hex());
            }
            client.command(COM_PING, "");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void preparedStatements() throws IOException {
        same(client -> {
            List<String> seen = new ArrayList<>();
            client.command(COM_STMT_PREPARE, "SELECT id, v, ? FROM raw WHERE id >= ? ORDER BY id");
            long id = 0;
            for (int ends = 0; ends < 2; ) {
                Packet next = client.read();
                if (seen.isEmpty()) {
                    // Numbered over all sessions of the server, so that it is another in each play.
                    id = RawClient.uint(next.payload(), 1, 4);
                    java.util.Arrays.fill(next.payload(), 1, 5, (byte) 0);
                }
                seen.add(next.hex());
                ends += next.isEof() ? 1 : 0;
            }
            byte[] statement = new Payload().uint(id, 4).bytes();
            client.write(
                    0,
                    new Payload()
                            .uint(COM_STMT_SEND_LONG_DATA, 1)
                            .raw(statement)
                            .uint(0, 2)
                            .text("long ")
                            .bytes());
            client.write(
                    0,
                    new Payload()
                            .uint(COM_STMT_SEND_LONG_DATA, 1)
                            .raw(statement)
                            .uint(0, 2)
                            .text("data")
                            .bytes());
            // Flags 1: a read-only cursor. Types: VAR_STRING, LONG.
            Payload execute = new Payload()
                    .uint(COM_STMT_EXECUTE, 1)
                    .raw(statement)
                    .uint(1, 1)
                    .uint(1, 4);
            client.send(
                    0,
                    execute.uint(0, 1)
                            .uint(1, 1)
                            .uint(0xFD, 2)
                            .uint(3, 2)
                            .uint(1, 4)
                            .bytes());
            Packet head;
            do {
                head = client.read();
                seen.add(head.hex());
            } while (!head.isEof() && !head.isErr());
            for (int i = 0; i < 3; i++) {
                client.command(
                        COM_STMT_FETCH, new Payload().raw(statement).uint(1, 4).bytes());
                do {
                    head = client.read();
                    seen.add(head.hex());
                } while (!head.isEof() && !head.isErr());
            }
            client.command(COM_STMT_RESET, statement);
            seen.add(client.read().hex());
            client.write(0, new Payload().uint(COM_STMT_CLOSE, 1).raw(statement).bytes());
            client.command(
                    COM_STMT_EXECUTE,
                    new Payload().raw(statement).uint(0, 1).uint(1, 4).bytes());
            Packet unknown = client.read();
            seen.add(unknown.errorCode() + NUMBERS.matcher(unknown.errorText()).replaceAll("#"));
            client.command(COM_RESET_CONNECTION, "");
            seen.add(client.read().hex());
            client.command(COM_INIT_DB, "no_such_schema");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void changeUser() throws IOException {
        assumeMariaDb();
        server.execute("CREATE OR REPLACE USER raw_user@'%' IDENTIFIED BY 'raw-Pass-1'");
        Dialogue dialogue = client -> {
            List<String> seen = new ArrayList<>();
            client.execute("SET @a = 1");
            changeUser(client, server.user(), server.password());
            seen.add(client.finishAuthentication(server.password()).hex());
            client.query("SELECT @a");
            seen.addAll(hex(client.readResult()));
            changeUser(client, "raw_user", "raw-Pass-1");
            seen.add(client.finishAuthentication("raw-Pass-1").hex());
            client.query("SELECT CURRENT_USER(), DATABASE()");
            seen.addAll(hex(client.readResult()));
            changeUser(client, "raw_user", "wrong");
            Packet refused = client.finishAuthentication("wrong");
            seen.add(refused.errorCode() + " " + refused.errorText());
            return seen;
        };
        same(dialogue);
        server.execute("DROP USER raw_user@'%'");
    }

    private static void changeUser(RawClient client, String user, String password) throws IOException {
        byte[] token = RawClient.nativePassword(password, client.scramble());
        client.command(
                COM_CHANGE_USER,
                new Payload()
                        .text(user)
                        .uint(0, 1)
                        .uint(token.length, 1)
                        .raw(token)
                        .uint(0, 1)
                        .uint(45, 2)
                        .text("mysql_native_password")
                        .uint(0, 1)
                        .bytes());
    }

    /** A binary log from its beginning, as far as it had come when asked, without waiting for more (flag 1). */
    @Test
    void binlogDump() throws IOException {
        assumeMariaDb();
        // A server that is given by address may have gigabytes of log behind it.
        server.execute("FLUSH BINARY LOGS");
        String file = Objects.requireNonNull(server.ask("SHOW MASTER STATUS"));
        server.execute(
                "INSERT INTO " + ServerUnderTest.SCHEMA + ".raw VALUES (78, 'logged')",
                "DELETE FROM " + ServerUnderTest.SCHEMA + ".raw WHERE id = 78");
        Dialogue dump = client -> {
            client.execute("SET @master_binlog_checksum = @@global.binlog_checksum, @mariadb_slave_capability = 4");
            client.command(
                    COM_BINLOG_DUMP,
                    new Payload().uint(4, 4).uint(1, 2).uint(7171, 4).text(file).bytes());
            List<String> seen = new ArrayList<>();
            Packet next;
            do {
                next = client.read();
                seen.add(next.payload().length < 2000 ? next.hex() : Transcript.digest(next.payload()));
            } while (!next.isEof() && !next.isErr());
            seen.add("over after " + seen.size());
            return seen;
        };
        server.execute("FLUSH BINARY LOGS");
        same(dump);
    }

    /** A refused dump ends the command, not the session. */
    @Test
    void binlogDumpOfNoFile() throws IOException {
        same(client -> {
            client.command(
                    COM_BINLOG_DUMP,
                    new Payload()
                            .uint(4, 4)
                            .uint(1, 2)
                            .uint(7172, 4)
                            .text("no-such-file")
                            .bytes());
            Packet response = client.read();
            while (!response.isErr() && !response.isEof()) {
                response = client.read();
            }
            return hex(response);
        });
    }

    /** A dump that waits for events, whose client's later packets are part of it. */
    @Test
    void binlogDumpThatWaits() throws IOException {
        assumeMariaDb();
        try (RawClient client = RawClient.login(proxy.address(), server)) {
            client.execute("SET @master_binlog_checksum = 'NONE', @mariadb_slave_capability = 4,"
                    + " @slave_connect_state = '" + server.ask("SELECT @@gtid_binlog_pos") + "'");
            client.command(
                    COM_BINLOG_DUMP,
                    new Payload().uint(4, 4).uint(0, 2).uint(7173, 4).bytes());
            server.execute("INSERT INTO " + ServerUnderTest.SCHEMA + ".raw VALUES (77, 'streamed-through')");
            Packet event;
            do {
                event = client.read();
                assertThat(event.isErr()).as(event.hex()).isFalse();
            } while (!new String(event.payload(), StandardCharsets.ISO_8859_1).contains("streamed-through"));
            server.execute("DELETE FROM " + ServerUnderTest.SCHEMA + ".raw WHERE id = 77");
        }
    }

    /** The client wants no file sent; then it sends one, in two packets, and then one with nothing in it. */
    @Test
    void loadDataLocal() throws IOException {
        same(client -> {
            List<String> seen = new ArrayList<>();
            client.execute("DROP TABLE IF EXISTS raw_load");
            client.execute("CREATE TABLE raw_load (a INT)");
            for (String[] content : new String[][] {{}, {"1\n2\n", "3\n"}, {"4\n"}}) {
                client.query("LOAD DATA LOCAL INFILE 'x' INTO TABLE raw_load");
                seen.add(client.read().hex());
                int sequence = 2;
                for (String part : content) {
                    client.write(sequence++, part.getBytes(StandardCharsets.UTF_8));
                }
                client.send(sequence, new byte[0]);
                seen.add(client.read().hex());
            }
            client.query("SELECT COUNT(*) FROM raw_load");
            seen.addAll(hex(client.readResult()));
            client.execute("DROP TABLE raw_load");
            return seen;
        });
    }

    /**
     * A procedure's own open cursor sets the status bit of a server-side cursor, but rows follow. By text, prepared,
     * and prepared with a cursor asked for, of which a CALL gets none; with both ways of ending rows.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, RawClient.DEPRECATE_EOF})
    void aResultWithinAProcedureThatHasACursorOpen(long more) throws IOException {
        server.execute(
                "DROP PROCEDURE IF EXISTS understudy_it.with_cursor",
                "CREATE PROCEDURE understudy_it.with_cursor() BEGIN DECLARE i INT; DECLARE c CURSOR FOR SELECT 7;"
                        + " OPEN c; SELECT 1, 'a'; FETCH c INTO i; SELECT i; CLOSE c; SELECT 'closed'; END");
        long capabilities = RawClient.PLAIN | Capabilities.PS_MULTI_RESULTS | more;
        try {
            same(capabilities, client -> {
                List<String> seen = new ArrayList<>();
                client.query("CALL with_cursor()");
                readUntilOk(client, seen);
                client.command(COM_STMT_PREPARE, "CALL with_cursor()");
                Packet prepared = client.read();
                byte[] id = Arrays.copyOfRange(prepared.payload(), 1, 5);
                for (int flags : new int[] {0, 1, 0}) {
                    client.command(
                            COM_STMT_EXECUTE,
                            new Payload().raw(id).uint(flags, 1).uint(1, 4).bytes());
                    readUntilOk(client, seen);
                }
                client.query("SELECT 2");
                seen.addAll(hex(client.read()));
                return seen;
            });
            assertThat(proxy.unread()).isZero();
        } finally {
            server.execute("DROP PROCEDURE understudy_it.with_cursor");
        }
    }

    /**
     * The OK packet that ends a CALL begins with 0, as a row of binary values does, but is numbered and long
     * differently.
     */
    private static void readUntilOk(RawClient client, List<String> seen) throws IOException {
        Packet next;
        do {
            next = client.read();
            seen.add(next.hex());
        } while (!next.isErr() && !(next.isOk() && next.payload().length == 7 && next.payload()[1] == 0));
    }
}
