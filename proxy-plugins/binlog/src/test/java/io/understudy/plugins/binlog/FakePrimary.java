package io.understudy.plugins.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.ServerStream;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.ManualExecutor;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** A primary that sends its binary log to every connection. The connections' event loop is the test's executor. */
final class FakePrimary implements ServerConnector, PrimaryQueries {
    private final ManualExecutor loop;
    final List<Dump> dumps = new ArrayList<>();
    PrimaryFacts facts = new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, "0-1-7");

    /** Reason why connections fail; with {@code throw} the connector itself throws. */
    @Nullable
    String refuse;

    /** Whether the primary's monitor has found it unreachable. */
    boolean unreachable;

    /** Whether connections close at their first statement. */
    boolean silentSql;

    FakePrimary(ManualExecutor loop) {
        this.loop = loop;
    }

    @Override
    public boolean isUnreachable() {
        return unreachable;
    }

    @Override
    public PrimaryFacts facts() throws SQLException {
        if (facts.format().equals("unreachable")) {
            throw new SQLException("connection refused");
        }
        return facts;
    }

    @Override
    public CompletionStage<ServerConnection> connect() {
        String reason = refuse;
        if ("throw".equals(reason)) {
            throw new IllegalStateException("the event loops are shut down");
        }
        if (reason != null) {
            return CompletableFuture.failedFuture(new IllegalStateException(reason));
        }
        Dump dump = new Dump();
        dumps.add(dump);
        return CompletableFuture.completedFuture(dump);
    }

    /** Returns the connections that are not closed. */
    List<Dump> open() {
        return dumps.stream().filter(Dump::isOpen).toList();
    }

    Dump last() {
        return dumps.get(dumps.size() - 1);
    }

    /** A dump connection. */
    final class Dump implements ServerConnection {
        private @Nullable ServerStream stream;
        private boolean closed;
        final List<String> said = new ArrayList<>();
        final List<byte[]> answers = new ArrayList<>();
        long serverId;

        @Override
        public ScheduledExecutorService loop() {
            return loop;
        }

        @Override
        public ByteBufAllocator alloc() {
            return UnpooledByteBufAllocator.DEFAULT;
        }

        @Override
        public ServerFlavor flavor() {
            return facts.flavor();
        }

        @Override
        public long threadId() {
            return dumps.indexOf(this);
        }

        @Override
        public boolean isOpen() {
            return !closed;
        }

        @Override
        public void execute(ByteBuf command, ServerResponse response) {
            said.add(command.toString(5, command.readableBytes() - 5, StandardCharsets.UTF_8));
            command.release();
            if (silentSql) {
                response.onFailure("the server closed the connection");
                return;
            }
            response.onResponse(FakeExchange.to(""), -1);
        }

        @Override
        public void send(ByteBuf command) {
            throw new AssertionError();
        }

        @Override
        public void answer(ByteBuf packet) {
            byte[] bytes = new byte[packet.readableBytes()];
            packet.readBytes(bytes);
            answers.add(bytes);
            packet.release();
        }

        @Override
        public void stream(ByteBuf command, ServerStream handler) {
            serverId = command.getUnsignedIntLE(command.getByte(4) == 0x12 ? 11 : 7);
            command.release();
            stream = handler;
        }

        @Override
        public void close() {
            closed = true;
        }

        ServerStream streaming() {
            ServerStream current = stream;
            assertThat(current).as("the dump was requested").isNotNull();
            return current;
        }

        void feed(ByteBuf... events) {
            for (ByteBuf event : events) {
                ByteBuf packet = alloc().buffer().writeByte(0).writeBytes(event);
                streaming().onPacket(packet, 0, packet.readableBytes(), packet.readableBytes(), loop.nanos());
                streaming().onPacketEnd(loop.nanos());
            }
        }
    }
}
