package io.understudy.connection;

import static io.understudy.testkit.Bytes.concat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.ServerStream;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.FakeServer;
import io.understudy.testkit.session.FakeServerConnection;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClientConnectionTest {
    private static final Loops LOOPS = new Loops();
    private static final byte[] COLUMN = Bytes.of(3, 'd', 'e', 'f', 0);
    private static final byte[] NOTHING = {};
    private static final byte[] END = Bytes.of(0xFE, 0, 0, 2, 0, 0, 0);

    private final List<String> told = new CopyOnWriteArrayList<>();

    @AfterAll
    static void stop() {
        LOOPS.close();
    }

    private static ByteBuf query(String sql) {
        return Packets.command(ByteBufAllocator.DEFAULT, CommandCode.QUERY, sql.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a handler that records its callbacks. */
    private ServerResponse as(String name) {
        return new ServerResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                told.add(name + (response.ok() ? " ok " : " error " + response.errorCode() + " ") + "rows "
                        + response.rows() + " affected " + response.affectedRows()
                        + (preparedId < 0 ? "" : " statement " + preparedId));
            }

            @Override
            public void onFailure(String reason) {
                told.add(name + " failed: " + reason);
            }
        };
    }

    @Test
    void pipelinedCommandsGetTheirResponsesInOrder() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            assertThat(new String(s.receive(), StandardCharsets.UTF_8)).endsWith("UPDATE t");
            assertThat(new String(s.receive(), StandardCharsets.UTF_8)).endsWith("SELECT 1");
            assertThat(s.receive()[0]).isEqualTo((byte) CommandCode.STMT_PREPARE);
            // The first response is sent only now.
            s.send(Bytes.of(0, 5, 0, 2, 0, 0, 0));
            for (byte[] packet : List.of(Bytes.of(1), COLUMN, Bytes.of(1, '1'), Bytes.of(1, '2'), END)) {
                s.send(packet);
            }
            s.send(Bytes.of(0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            connection.execute(query("UPDATE t"), as("first"));
            connection.execute(query("SELECT 1"), as("second"));
            connection.execute(
                    Packets.command(ByteBufAllocator.DEFAULT, CommandCode.STMT_PREPARE, Bytes.of('x')), as("third"));
            await().until(() -> told.size() == 3);
            assertThat(told)
                    .containsExactly(
                            "first ok rows 0 affected 5",
                            "second ok rows 2 affected 0",
                            "third ok rows 0 affected 0 statement 9");
            connection.close();
            server.await();
        }
    }

    @Test
    void rowsAreCountedWhereNobodyReadsThemAndShownWhereSomebodyDoes() throws Exception {
        int rows = 5_000;
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            for (int response = 0; response < 2; response++) {
                s.receive();
                s.send(Bytes.of(1));
                s.send(COLUMN);
                for (int i = 0; i < rows; i++) {
                    s.send(Bytes.of(2, '0' + i % 10, 'x'));
                }
                s.send(END);
            }
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            StringBuilder shown = new StringBuilder();
            connection.execute(query("SELECT 1"), new ServerResponse() {
                @Override
                public void onResponse(ResponseView response, int preparedId) {
                    told.add("unread: rows " + response.rows() + " bytes " + response.bytes());
                }

                @Override
                public void onFailure(String reason) {
                    told.add(reason);
                }
            });
            connection.execute(query("SELECT 2"), new ServerResponse() {
                @Override
                public int rowBytes() {
                    return 2;
                }

                @Override
                public void onRow(ByteBuf buf, int index, int length, int whole) {
                    shown.append((char) buf.getByte(index + 1));
                }

                @Override
                public void onResponse(ResponseView response, int preparedId) {
                    told.add("read: rows " + response.rows() + " bytes " + response.bytes());
                }

                @Override
                public void onFailure(String reason) {
                    told.add(reason);
                }
            });
            await().until(() -> told.size() == 2);
            String all = "rows " + rows + " bytes " + (1 + COLUMN.length + 3 * rows + END.length);
            assertThat(told).containsExactly("unread: " + all, "read: " + all);
            assertThat(shown.toString()).isEqualTo("0123456789".repeat(rows / 10));
            connection.close();
            server.await();
        }
    }

    @Test
    void anErrorEndsItsOwnResponseOnly() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.receive();
            s.error(1146, "no such table");
            s.receive();
            s.send(FakeServerConnection.OK);
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            connection.execute(query("SELECT * FROM gone"), as("first"));
            connection.execute(query("DO 1"), as("second"));
            await().until(() -> told.size() == 2);
            assertThat(told).containsExactly("first error 1146 rows 0 affected 0", "second ok rows 0 affected 0");
            assertThat(connection.isOpen()).isTrue();
            connection.close();
            server.await();
        }
    }

    @Test
    void aRestedStreamIsReadAtOnceAfterwards() throws Exception {
        CompletableFuture<Void> rested = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.receive();
            s.send(Bytes.of(0, 1));
            rested.get(20, TimeUnit.SECONDS);
            for (int i = 2; i < 50; i++) {
                s.send(Bytes.of(0, i));
            }
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            List<Integer> packets = new CopyOnWriteArrayList<>();
            List<Long> times = new CopyOnWriteArrayList<>();
            connection.stream(
                    Packets.command(ByteBufAllocator.DEFAULT, CommandCode.BINLOG_DUMP, NOTHING), new ServerStream() {
                        @Override
                        public void onPacket(
                                io.netty.buffer.ByteBuf buf, int index, int shown, int length, long nanos) {
                            packets.add((int) buf.getByte(index + 1));
                            times.add(nanos);
                        }

                        @Override
                        public int prefix() {
                            return 2;
                        }

                        @Override
                        public long restNanos() {
                            if (!packets.isEmpty()) {
                                rested.complete(null);
                            }
                            return TimeUnit.MILLISECONDS.toNanos(300);
                        }

                        @Override
                        public void onEnd(String reason) {}
                    });
            await().until(() -> packets.size() == 49);
            assertThat(packets).first().isEqualTo(1);
            assertThat(times.get(48) - times.get(0)).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(300));
            assertThat(times.stream().distinct().count()).as("reads").isLessThan(5);
            connection.close();
            server.await();
        }
    }

    /** Returns the bytes that the allocator holds. */
    private static long memoryOf(ServerConnection connection) {
        ByteBufAllocatorMetric metric = ((ByteBufAllocatorMetricProvider) connection.alloc()).metric();
        return metric.usedDirectMemory() + metric.usedHeapMemory();
    }

    @Test
    void aLargeResultIsDiscardedAsItArrives() throws Exception {
        int rows = 64;
        byte[] row = new byte[1 << 20];
        row[0] = (byte) 0xFD;
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.receive();
            s.send(Bytes.of(1));
            s.send(COLUMN);
            for (int i = 0; i < rows; i++) {
                s.send(row);
            }
            // A row of two physical packets, the second of which is empty.
            s.send(new byte[Packets.MAX_PAYLOAD]);
            s.send(END);
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            // What other tests of this JVM have left in the allocator's chunks is not this result's.
            long before = memoryOf(connection);
            CompletableFuture<Long> atItsEnd = new CompletableFuture<>();
            connection.execute(query("SELECT"), new ServerResponse() {
                @Override
                public void onResponse(ResponseView response, int preparedId) {
                    told.add("rows " + response.rows());
                    atItsEnd.complete(memoryOf(connection));
                }

                @Override
                public void onFailure(String reason) {
                    atItsEnd.completeExceptionally(new AssertionError(reason));
                }
            });
            // The buffer being read is included, so the allocator must report more than zero.
            assertThat(atItsEnd.get(40, TimeUnit.SECONDS)).isPositive().isLessThan(before + (16L << 20));
            assertThat(told).containsExactly("rows 65");
            connection.close();
            server.await();
        }
    }

    @Test
    void aRequestForALocalFileGetsAnEmptyFile() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.receive();
            s.send(concat(Bytes.of(0xFB), "/etc/passwd".getBytes(StandardCharsets.US_ASCII)));
            assertThat(s.receive()).isEmpty();
            s.send(FakeServerConnection.OK);
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            connection.execute(query("LOAD DATA LOCAL INFILE"), as("load"));
            await().until(() -> told.size() == 1);
            assertThat(told).containsExactly("load ok rows 0 affected 0");
            connection.close();
            server.await();
        }
    }

    @Test
    void aLostConnectionFailsAllPendingCommandsOnceInOrder() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.receive();
            s.receive();
            s.send(Bytes.of(1));
            s.send(COLUMN);
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            connection.execute(query("SELECT 1"), as("first"));
            connection.execute(query("SELECT 2"), as("second"));
            await().until(() -> told.size() == 2);
            assertThat(connection.isOpen()).isFalse();
            connection.execute(query("SELECT 3"), as("third"));
            await().until(() -> told.size() == 3);
            String reason = "failed: connection 77 to " + Loops.address(server) + ": the server closed it";
            assertThat(told).containsExactly("first " + reason, "second " + reason, "third " + reason);
        }
    }

    @Test
    void theServersLastErrorIsTheReasonOfTheClose() throws Exception {
        CompletableFuture<Void> connected = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.error(1927, "Connection was killed");
            connected.join();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            connected.complete(null);
            await().until(() -> !connection.isOpen());
            connection.execute(query("SELECT 1"), as("late"));
            await().until(() -> told.size() == 1);
            assertThat(told.get(0)).contains("1927").contains("Connection was killed");
        }
    }

    @Test
    void malformedBytesEndTheConnectionWithAReason() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.receive();
            s.send(new byte[0]);
            s.closedByPeer();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            connection.execute(query("SELECT 1"), as("first"));
            await().until(() -> told.size() == 1);
            assertThat(told.get(0)).contains("could not be followed").contains("empty packet");
            await().until(() -> !connection.isOpen());
        }
    }

    @Test
    void aThrowingHandlerDoesNotAffectTheNext() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.receive();
            s.send(FakeServerConnection.OK);
            s.receive();
            s.send(FakeServerConnection.OK);
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            connection.execute(query("DO 1"), new ServerResponse() {
                @Override
                public void onResponse(ResponseView response, int preparedId) {
                    throw new IllegalStateException("thrown by the test");
                }

                @Override
                public void onFailure(String reason) {}
            });
            connection.execute(query("DO 2"), as("second"));
            await().until(() -> told.size() == 1);
            assertThat(told).containsExactly("second ok rows 0 affected 0");
        }
    }

    @Test
    void aStreamShowsTheStartOfEachPacket() throws Exception {
        byte[] event = new byte[100_000];
        event[5] = 42;
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            assertThat(s.receive()[0]).isEqualTo((byte) CommandCode.BINLOG_DUMP);
            s.send(Bytes.of(0, 1, 2));
            s.send(event);
            s.error(1236, "log is gone");
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            long before = System.nanoTime();
            connection.stream(
                    Packets.command(ByteBufAllocator.DEFAULT, CommandCode.BINLOG_DUMP, new byte[10]),
                    new ServerStream() {
                        @Override
                        public int prefix() {
                            return 20;
                        }

                        @Override
                        public void onPacket(ByteBuf buf, int index, int shown, int length, long receivedNanos) {
                            told.add(shown + " of " + length + " byte 5 " + (shown > 5 ? buf.getByte(index + 5) : "-")
                                    + (receivedNanos - before > 0 ? "" : " at a strange time"));
                        }

                        @Override
                        public void onPacketEnd(long receivedNanos) {
                            told.add("end");
                        }

                        @Override
                        public void onEnd(String reason) {
                            told.add(reason);
                        }
                    });
            await().until(() -> told.size() == 5);
            assertThat(told)
                    .containsExactly(
                            "3 of 3 byte 5 -",
                            "end",
                            "20 of 100000 byte 5 42",
                            "end",
                            "error 1236 (HY000) log is gone");
        }
    }

    @Test
    void commandsThatDoNotFitTheMethodAreRefusedAndReleased() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.letIn();
            s.receive();
        })) {
            ServerConnection connection = LOOPS.connect(server, "x");
            ByteBufAllocator alloc = UnpooledByteBufAllocator.DEFAULT;
            ByteBuf close = Packets.command(alloc, CommandCode.STMT_CLOSE, new byte[4]);
            ByteBuf dump = Packets.command(alloc, CommandCode.BINLOG_DUMP, new byte[10]);
            ByteBuf unknown = Packets.command(alloc, 0x77, new byte[0]);
            ByteBuf ping = Packets.command(alloc, CommandCode.PING, new byte[0]);
            for (ByteBuf command : List.of(close, dump, unknown)) {
                assertThatThrownBy(() -> connection.execute(command, as("none")))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThat(command.refCnt()).isZero();
            }
            assertThatThrownBy(() -> connection.send(ping)).hasMessageContaining("ping");
            assertThat(ping.refCnt()).isZero();
            connection.close();
            server.await();
        }
    }
}
