package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.config.Transport;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.ServerStream;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests server connections with a MariaDB server. */
@Timeout(180)
class ServerConnectionServerTest {
    private static final NetworkTransport TRANSPORT = NetworkTransport.resolve(Transport.AUTO);
    private static final EventLoopGroup LOOPS = TRANSPORT.relayGroup(1, "it-client");
    private static EmbeddedServer server;

    /** The content of a response, copied because the response is valid only during the callback. */
    private record Told(int error, long rows, long affected, int preparedId, String failure) {}

    @BeforeAll
    static void start() {
        server = EmbeddedServer.start(ServerOptions.of(1));
        server.execute(
                "CREATE USER app@'%' IDENTIFIED BY 's3same'",
                "CREATE DATABASE shop",
                "CREATE TABLE shop.t (id INT PRIMARY KEY, name VARCHAR(100))",
                "GRANT ALL ON shop.* TO app@'%'",
                "CREATE USER dump@'%' IDENTIFIED BY 's3same'",
                "GRANT REPLICATION SLAVE ON *.* TO dump@'%'");
    }

    @AfterAll
    static void stop() {
        server.close();
        LOOPS.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static NettyServerConnector connector(String address, String user, ServerTlsMode tls, @Nullable Path ca) {
        return new NettyServerConnector(
                TRANSPORT,
                LOOPS,
                Address.parse(address),
                user,
                Secret.parse("s3same"),
                new ServerTlsConfig(tls, ca, null, null),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10));
    }

    private static ServerConnection connect(String address, String user, ServerTlsMode tls, @Nullable Path ca)
            throws Exception {
        return connect(connector(address, user, tls, ca));
    }

    private static ServerConnection connect(NettyServerConnector connector) throws Exception {
        try {
            return connector.connect().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    private static ServerConnection app() throws Exception {
        return connect("127.0.0.1:" + server.port(), "app", ServerTlsMode.DISABLED, null);
    }

    private static ByteBuf command(int code, String text) {
        return Packets.command(ByteBufAllocator.DEFAULT, code, text.getBytes(StandardCharsets.UTF_8));
    }

    private static CompletableFuture<Told> run(ServerConnection connection, ByteBuf command) {
        CompletableFuture<Told> told = new CompletableFuture<>();
        connection.execute(command, new ServerResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                told.complete(new Told(response.errorCode(), response.rows(), response.affectedRows(), preparedId, ""));
            }

            @Override
            public void onFailure(String reason) {
                told.complete(new Told(-1, 0, 0, -1, reason));
            }
        });
        return told;
    }

    private static Told query(ServerConnection connection, String sql) throws Exception {
        return run(connection, command(CommandCode.QUERY, sql)).get(30, TimeUnit.SECONDS);
    }

    @Test
    void statementsReportRowsAndAffectedRows() throws Exception {
        ServerConnection connection = app();
        assertThat(connection.flavor()).isEqualTo(ServerFlavor.MARIADB);
        assertThat(query(connection, "INSERT INTO shop.t VALUES (1,'a'),(2,'b'),(3,NULL)")
                        .affected())
                .isEqualTo(3);
        assertThat(query(connection, "SELECT * FROM shop.t WHERE id < 4").rows())
                .isEqualTo(3);
        assertThat(query(connection, "SELECT * FROM shop.nothing").error()).isEqualTo(1146);
        assertThat(query(connection, "SELECT seq FROM shop.seq_1_to_200000").rows())
                .isEqualTo(200_000);
        CompletableFuture<Told> prepared =
                run(connection, command(CommandCode.STMT_PREPARE, "SELECT name FROM shop.t WHERE id < ?"));
        int id = prepared.get(30, TimeUnit.SECONDS).preparedId();
        assertThat(id).isPositive();
        ByteBuf execute = ByteBufAllocator.DEFAULT.buffer();
        int at = Packets.begin(execute, 0);
        execute.writeByte(CommandCode.STMT_EXECUTE).writeIntLE(id).writeByte(0).writeIntLE(1);
        execute.writeByte(0).writeByte(1).writeShortLE(3).writeIntLE(3);
        Packets.end(execute, at);
        assertThat(run(connection, execute).get(30, TimeUnit.SECONDS).rows()).isEqualTo(2);
        ByteBuf close = ByteBufAllocator.DEFAULT.buffer();
        at = Packets.begin(close, 0);
        close.writeByte(CommandCode.STMT_CLOSE).writeIntLE(id);
        Packets.end(close, at);
        connection.send(close);
        assertThat(run(connection, command(CommandCode.PING, ""))
                        .get(30, TimeUnit.SECONDS)
                        .error())
                .isZero();
        connection.close();
        await().until(() -> !connection.isOpen());
    }

    @Test
    void aThousandPipelinedCommandsKeepTheirOrder() throws Exception {
        ServerConnection connection = app();
        List<CompletableFuture<Told>> responses = new java.util.ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            responses.add(run(connection, command(CommandCode.QUERY, "SELECT seq FROM shop.seq_1_to_" + (i % 7 + 1))));
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(responses.get(i).get(30, TimeUnit.SECONDS).rows()).isEqualTo(i % 7 + 1);
        }
        connection.close();
    }

    @Test
    void logsInOverTls() throws Exception {
        String address = "127.0.0.1:" + server.port();
        for (ServerTlsMode mode : List.of(ServerTlsMode.PREFERRED, ServerTlsMode.REQUIRED, ServerTlsMode.VERIFY_CA)) {
            ServerConnection connection = connect(address, "app", mode, server.certificate());
            Told cipher = query(
                    connection,
                    "SELECT 1 FROM information_schema.session_status WHERE variable_name='Ssl_cipher' AND"
                            + " variable_value<>''");
            assertThat(cipher.rows()).as("%s is encrypted", mode).isEqualTo(1);
            connection.close();
        }
        connect(address, "app", ServerTlsMode.VERIFY_FULL, server.certificate()).close();
        assertThatThrownBy(() -> connect(address, "app", ServerTlsMode.VERIFY_CA, null))
                .hasMessageContaining("no agreement on TLS")
                .hasMessageContaining("tls.ca");
    }

    /** The file keeps its name; while it cannot be read the connections go on as before. */
    @Test
    void aRenewedAuthorityTakesEffectForTheNextConnection(@TempDir Path folder) throws Exception {
        X509Bundle stranger = new CertificateBuilder()
                .ecp256()
                .subject("CN=somebody else")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path ca = Files.writeString(folder.resolve("ca.pem"), stranger.getCertificatePEM());
        NettyServerConnector connector = connector("127.0.0.1:" + server.port(), "app", ServerTlsMode.VERIFY_CA, ca);
        assertThatThrownBy(() -> connect(connector)).hasMessageContaining("no agreement on TLS");
        Files.copy(server.certificate(), ca, StandardCopyOption.REPLACE_EXISTING);
        connect(connector).close();
        Files.writeString(ca, "half of a");
        connect(connector).close();
        Files.writeString(ca, stranger.getCertificatePEM());
        assertThatThrownBy(() -> connect(connector)).hasMessageContaining("no agreement on TLS");
    }

    @Test
    void logsInOverTheSocketFile() throws Exception {
        assumeThat(server.socket()).isPresent();
        ServerConnection connection =
                connect("unix:" + server.socket().orElseThrow(), "app", ServerTlsMode.PREFERRED, null);
        assertThat(query(connection, "SELECT 1").rows()).isEqualTo(1);
        connection.close();
    }

    @Test
    void wrongPasswordAndUnknownUserAreReportedWithTheRemedy() {
        assertThatThrownBy(() -> connect("127.0.0.1:" + server.port(), "nobody", ServerTlsMode.DISABLED, null))
                .hasMessageContaining("1045")
                .hasMessageContaining("ALTER USER");
    }

    @Test
    void aKilledConnectionFailsThePendingCommands() throws Exception {
        ServerConnection connection = app();
        CompletableFuture<Told> sleeping = run(connection, command(CommandCode.QUERY, "SELECT SLEEP(100)"));
        CompletableFuture<Told> next = run(connection, command(CommandCode.QUERY, "SELECT 1"));
        server.execute("KILL " + connection.threadId());
        sleeping.get(30, TimeUnit.SECONDS);
        Told told = next.get(30, TimeUnit.SECONDS);
        assertThat(told.error()).isEqualTo(-1);
        assertThat(told.failure()).contains("connection " + connection.threadId() + " to 127.0.0.1");
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void streamsTheBinaryLog() throws Exception {
        ServerConnection connection = connect("127.0.0.1:" + server.port(), "dump", ServerTlsMode.DISABLED, null);
        assertThat(query(connection, "SET @mariadb_slave_capability=4").error()).isZero();
        assertThat(query(connection, "SET @master_binlog_checksum=@@global.binlog_checksum")
                        .error())
                .isZero();
        List<Integer> types = new CopyOnWriteArrayList<>();
        CompletableFuture<String> end = new CompletableFuture<>();
        ByteBuf dump = ByteBufAllocator.DEFAULT.buffer();
        int at = Packets.begin(dump, 0);
        dump.writeByte(CommandCode.BINLOG_DUMP).writeIntLE(4).writeShortLE(0).writeIntLE(4242);
        Packets.end(dump, at);
        connection.stream(dump, new ServerStream() {
            @Override
            public int prefix() {
                return 6;
            }

            @Override
            public void onPacket(ByteBuf buf, int index, int shown, int length, long receivedNanos) {
                types.add((int) buf.getUnsignedByte(index + 5));
            }

            @Override
            public void onEnd(String reason) {
                end.complete(reason);
            }
        });
        int formatDescription = 15;
        int xid = 16;
        await().until(() -> types.contains(formatDescription));
        server.execute("INSERT INTO shop.t VALUES (100,'streamed')");
        await().until(() -> types.contains(xid));
        server.execute("KILL " + connection.threadId());
        assertThat(end.get(30, TimeUnit.SECONDS)).isNotEmpty();
    }

    @Test
    void aStreamWithoutThePrivilegeEndsWithTheServersError() throws Exception {
        ServerConnection connection = app();
        CompletableFuture<String> end = new CompletableFuture<>();
        connection.stream(
                Packets.command(ByteBufAllocator.DEFAULT, CommandCode.BINLOG_DUMP, new byte[10]), new ServerStream() {
                    @Override
                    public int prefix() {
                        return 20;
                    }

                    @Override
                    public void onPacket(ByteBuf buf, int index, int shown, int length, long receivedNanos) {}

                    @Override
                    public void onEnd(String reason) {
                        end.complete(reason);
                    }
                });
        assertThat(end.get(30, TimeUnit.SECONDS)).contains("1227").contains("REPLICATION SLAVE");
        connection.close();
    }
}
