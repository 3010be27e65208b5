package io.understudy.jmh;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.understudy.host.PluginHost;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.session.ClientSession;
import io.understudy.session.Destination;
import io.understudy.session.SessionEnvironment;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.wire.Capabilities;
import io.understudy.wire.CommandCode;
import io.understudy.wire.Leg;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/** A logged-in session between two ends that discard what they are sent. */
final class Ends {
    private static final ByteBufAllocator ALLOC = PooledByteBufAllocator.DEFAULT;
    private static final long CAPABILITIES = Capabilities.PROTOCOL_41
            | Capabilities.CONNECT_WITH_DB
            | Capabilities.SECURE_CONNECTION
            | Capabilities.PLUGIN_AUTH
            | Capabilities.TRANSACTIONS;
    private static final String METHOD = "mysql_native_password";
    private static final int AUTOCOMMIT = 2;

    private Ends() {}

    static ClientSession loggedIn() {
        CoreMetrics metrics = new CoreMetrics(new SimpleMeterRegistry(), new LatencyHistograms(), CommandCode::name);
        ClientSession session = new ClientSession(
                1,
                new Swallow(),
                new SessionEnvironment(new PluginHost(metrics), metrics, new SqlAnalyzer(), 64 * 1024),
                ended -> {});
        session.serverConnected(new Swallow(), Destination.FIXED);
        session.fromServer(packet(0, handshakeV10()));
        session.fromClient(packet(1, handshakeResponse()));
        session.fromServer(packet(2, bytes(7).writeByte(0).writeZero(2).writeShortLE(AUTOCOMMIT).writeZero(2)));
        if (!session.loggedIn()) {
            throw new IllegalStateException("the scripted login was not taken");
        }
        return session;
    }

    private static ByteBuf handshakeV10() {
        ByteBuf out = bytes(128).writeByte(10);
        out.writeCharSequence("5.5.5-10.11.6-MariaDB", StandardCharsets.US_ASCII);
        out.writeByte(0).writeIntLE(1).writeZero(8).writeByte(0).writeShortLE((int) CAPABILITIES & 0xFFFF);
        out.writeByte(45).writeShortLE(AUTOCOMMIT).writeShortLE((int) (CAPABILITIES >> 16)).writeByte(21);
        out.writeZero(10 + 13);
        out.writeCharSequence(METHOD, StandardCharsets.US_ASCII);
        return out.writeByte(0);
    }

    private static ByteBuf handshakeResponse() {
        ByteBuf out = bytes(128).writeIntLE((int) CAPABILITIES).writeIntLE(1 << 24).writeByte(45).writeZero(23);
        out.writeCharSequence("app", StandardCharsets.US_ASCII);
        out.writeByte(0).writeByte(20).writeZero(20);
        out.writeCharSequence("shop", StandardCharsets.US_ASCII);
        out.writeByte(0);
        out.writeCharSequence(METHOD, StandardCharsets.US_ASCII);
        return out.writeByte(0);
    }

    static ByteBuf bytes(int capacity) {
        return ALLOC.directBuffer(capacity);
    }

    /** Takes ownership of {@code payload}. */
    static ByteBuf packet(int sequence, ByteBuf payload) {
        ByteBuf out = bytes(payload.readableBytes() + 4)
                .writeMediumLE(payload.readableBytes())
                .writeByte(sequence)
                .writeBytes(payload);
        payload.release();
        return out;
    }

    private static final class Swallow implements Leg {
        @Override
        public ByteBufAllocator alloc() {
            return ALLOC;
        }

        @Override
        public SocketAddress remoteAddress() {
            return InetSocketAddress.createUnresolved("client.example", 1);
        }

        @Override
        public void write(ByteBuf bytes) {
            bytes.release();
        }

        @Override
        public void flush() {}

        @Override
        public void setReading(boolean on) {}

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdownOutput() {}

        @Override
        public void closeAfterFlush() {}
    }
}
