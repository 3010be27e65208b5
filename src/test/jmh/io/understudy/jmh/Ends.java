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
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Leg;
import io.understudy.protocol.ServerStatus;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/** Logged-in sessions between two ends that discard what they are sent. */
final class Ends {
    private static final ByteBufAllocator ALLOC = PooledByteBufAllocator.DEFAULT;
    private static final long CAPABILITIES = Capabilities.PROTOCOL_41
            | Capabilities.CONNECT_WITH_DB
            | Capabilities.SECURE_CONNECTION
            | Capabilities.PLUGIN_AUTH
            | Capabilities.TRANSACTIONS;
    private static final String METHOD = "mysql_native_password";
    private static final int AUTOCOMMIT = 2;
    private static final String TRACKED = "session_track_system_variables";

    private Ends() {}

    /** Returns a session without observers. */
    static ClientSession loggedIn() {
        CoreMetrics metrics = new CoreMetrics(new SimpleMeterRegistry(), new LatencyHistograms(), CommandCode::name);
        SessionEnvironment environment =
                new SessionEnvironment(new PluginHost(metrics), metrics, new SqlAnalyzer(), 64 * 1024);
        return loggedIn(environment, CAPABILITIES, new Swallow());
    }

    /** Returns a session of that environment, whose GTIDs are tracked if one of its plugins needs them. */
    static ClientSession observed(SessionEnvironment environment) {
        Swallow server = new Swallow();
        ClientSession session = loggedIn(environment, CAPABILITIES | Capabilities.SESSION_TRACK, server);
        server.writes = 0;
        ByteBuf first = bytes(5).writeByte(CommandCode.QUERY).writeBytes(new byte[] {'D', 'O', ' ', '1'});
        session.fromClient(packet(0, first));
        session.clientReadComplete();
        if (server.writes > 1) {
            session.fromServer(okWith(TRACKED, "autocommit,last_gtid"));
        }
        session.fromServer(packet(1, okFields(AUTOCOMMIT)));
        session.serverReadComplete();
        return session;
    }

    private static ClientSession loggedIn(SessionEnvironment environment, long capabilities, Leg server) {
        ClientSession session = new ClientSession(1, new Swallow(), environment, ended -> {});
        session.serverConnected(server, Destination.FIXED, () -> {});
        session.fromServer(packet(0, handshakeV10(capabilities)));
        session.fromClient(packet(1, handshakeResponse(capabilities)));
        session.fromServer(packet(2, okFields(AUTOCOMMIT)));
        if (!session.loggedIn()) {
            throw new IllegalStateException("the scripted login was not taken");
        }
        return session;
    }

    private static ByteBuf okFields(int status) {
        return bytes(7).writeByte(0).writeZero(2).writeShortLE(status).writeZero(2);
    }

    /** Returns an OK packet, number 1, that reports a variable. */
    static ByteBuf okWith(String variable, String value) {
        ByteBuf state = bytes(100).writeByte(0).writeByte(variable.length() + value.length() + 2);
        for (String text : new String[] {variable, value}) {
            state.writeByte(text.length());
            state.writeCharSequence(text, StandardCharsets.US_ASCII);
        }
        ByteBuf payload = okFields(AUTOCOMMIT | ServerStatus.SESSION_STATE_CHANGED)
                .writeByte(0)
                .writeByte(state.readableBytes())
                .writeBytes(state);
        state.release();
        return packet(1, payload);
    }

    private static ByteBuf handshakeV10(long capabilities) {
        ByteBuf out = bytes(128).writeByte(10);
        out.writeCharSequence("5.5.5-10.11.6-MariaDB", StandardCharsets.US_ASCII);
        out.writeByte(0).writeIntLE(1).writeZero(8).writeByte(0).writeShortLE((int) capabilities & 0xFFFF);
        out.writeByte(45).writeShortLE(AUTOCOMMIT).writeShortLE((int) (capabilities >> 16)).writeByte(21);
        out.writeZero(10 + 13);
        out.writeCharSequence(METHOD, StandardCharsets.US_ASCII);
        return out.writeByte(0);
    }

    private static ByteBuf handshakeResponse(long capabilities) {
        ByteBuf out = bytes(128).writeIntLE((int) capabilities).writeIntLE(1 << 24).writeByte(45).writeZero(23);
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
        private int writes;

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
            writes++;
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
