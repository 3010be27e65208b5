package io.understudy.it;

import static io.understudy.it.SideBySide.hex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.protocol.CommandCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A replica's commands, byte by byte: directly and through the proxy. */
class RawReplicationTest {
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
    void registerSlave() throws IOException {
        both.same(client -> {
            client.command(
                    CommandCode.REGISTER_SLAVE,
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
            client.command(CommandCode.PING, "");
            seen.add(client.read().hex());
            return seen;
        });
    }

    /** A binary log from its beginning, as far as it had come when asked, without waiting for more (flag 1). */
    @Test
    void binlogDump() throws IOException {
        both.assumeMariaDb();
        // A server that is given by address may have gigabytes of log behind it.
        server.execute("FLUSH BINARY LOGS");
        String file = Objects.requireNonNull(server.query("SHOW MASTER STATUS"));
        server.execute(
                "INSERT INTO " + ServerUnderTest.SCHEMA + ".raw VALUES (78, 'logged')",
                "DELETE FROM " + ServerUnderTest.SCHEMA + ".raw WHERE id = 78");
        SideBySide.Dialogue dump = client -> {
            client.execute("SET @master_binlog_checksum = @@global.binlog_checksum, @mariadb_slave_capability = 4");
            client.command(
                    CommandCode.BINLOG_DUMP,
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
        awaitCheckpoint(Objects.requireNonNull(server.query("SHOW MASTER STATUS")));
        both.same(dump);
    }

    /** A moment after the server has begun a file it writes there that it needs no earlier one. */
    private void awaitCheckpoint(String file) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement();
                    ResultSet events = statement.executeQuery("SHOW BINLOG EVENTS IN '" + file + "'")) {
                boolean written = false;
                while (events.next()) {
                    written |= events.getString("Event_type").equals("Binlog_checkpoint")
                            && file.equals(events.getString("Info"));
                }
                return written;
            }
        });
    }

    /** A refused dump ends the command, not the session. */
    @Test
    void binlogDumpOfNoFile() throws IOException {
        both.same(client -> {
            client.command(
                    CommandCode.BINLOG_DUMP,
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
        both.assumeMariaDb();
        try (RawClient client = RawClient.login(proxy.address(), server)) {
            client.execute("SET @master_binlog_checksum = 'NONE', @mariadb_slave_capability = 4,"
                    + " @slave_connect_state = '" + server.query("SELECT @@gtid_binlog_pos") + "'");
            client.command(
                    CommandCode.BINLOG_DUMP,
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
}
