package io.understudy.it;

import static io.understudy.it.SideBySide.hex;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results and prepared statements, byte by byte: the same commands directly and through the proxy. */
class RawResultsTest {
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
    void fieldList() throws IOException {
        both.same(client -> {
            client.command(CommandCode.FIELD_LIST, "raw\0%");
            List<String> seen = new ArrayList<>();
            Packet next;
            do {
                next = client.read();
                seen.add(next.hex());
            } while (!next.isEof() && !next.isErr());
            client.command(CommandCode.FIELD_LIST, "no_such_table\0");
            seen.add(client.read().hex());
            return seen;
        });
    }

    /** A select list without a table has no limit on MariaDB; MySQL refuses it. */
    @Test
    void moreColumnsThanSixteenBitsCount() throws IOException {
        double unread = proxy.unread();
        both.same(client -> {
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
        both.same(RawClient.PLAIN | RawClient.DEPRECATE_EOF | RawClient.MULTI_STATEMENTS, client -> {
            List<String> seen = new ArrayList<>();
            client.query("SELECT id, v FROM raw ORDER BY id; SELECT 2 FROM DUAL WHERE FALSE");
            // Two columns and two rows, then one column and none; each result is closed by one packet.
            for (int i = 0; i < 1 + 2 + 2 + 1 + 1 + 1 + 1; i++) {
                seen.add(client.read().hex());
            }
            client.command(CommandCode.PING, "");
            seen.add(client.read().hex());
            return seen;
        });
    }

    @Test
    void preparedStatements() throws IOException {
        both.same(client -> {
            List<String> seen = new ArrayList<>();
            client.command(CommandCode.STMT_PREPARE, "SELECT id, v, ? FROM raw WHERE id >= ? ORDER BY id");
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
                            .uint(CommandCode.STMT_SEND_LONG_DATA, 1)
                            .raw(statement)
                            .uint(0, 2)
                            .text("long ")
                            .bytes());
            client.write(
                    0,
                    new Payload()
                            .uint(CommandCode.STMT_SEND_LONG_DATA, 1)
                            .raw(statement)
                            .uint(0, 2)
                            .text("data")
                            .bytes());
            // Flags 1: a read-only cursor. Types: VAR_STRING, LONG.
            Payload execute = new Payload()
                    .uint(CommandCode.STMT_EXECUTE, 1)
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
                        CommandCode.STMT_FETCH,
                        new Payload().raw(statement).uint(1, 4).bytes());
                do {
                    head = client.read();
                    seen.add(head.hex());
                } while (!head.isEof() && !head.isErr());
            }
            client.command(CommandCode.STMT_RESET, statement);
            seen.add(client.read().hex());
            client.write(
                    0,
                    new Payload().uint(CommandCode.STMT_CLOSE, 1).raw(statement).bytes());
            client.command(
                    CommandCode.STMT_EXECUTE,
                    new Payload().raw(statement).uint(0, 1).uint(1, 4).bytes());
            Packet unknown = client.read();
            seen.add(unknown.errorCode() + NUMBERS.matcher(unknown.errorText()).replaceAll("#"));
            client.command(CommandCode.RESET_CONNECTION, "");
            seen.add(client.read().hex());
            client.command(CommandCode.INIT_DB, "no_such_schema");
            seen.add(client.read().hex());
            return seen;
        });
    }

    /** The client wants no file sent; then it sends one, in two packets, and then one with nothing in it. */
    @Test
    void loadDataLocal() throws IOException {
        both.same(client -> {
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
            both.same(capabilities, client -> {
                List<String> seen = new ArrayList<>();
                client.query("CALL with_cursor()");
                readUntilOk(client, seen);
                client.command(CommandCode.STMT_PREPARE, "CALL with_cursor()");
                Packet prepared = client.read();
                byte[] id = Arrays.copyOfRange(prepared.payload(), 1, 5);
                for (int flags : new int[] {0, 1, 0}) {
                    client.command(
                            CommandCode.STMT_EXECUTE,
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
