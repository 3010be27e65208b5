package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.RelayCounts;
import io.understudy.wire.Leg;

/**
 * The client's TLS ends at the server: bytes are relayed unread in both directions until one side closes. The session
 * is counted and timed as a whole; there is nothing to observe in it.
 */
final class Passthrough implements SessionPhase {
    private final Leg client;
    private final Leg server;
    private final RelayCounts counts;
    private final LatencyHistogram duration;
    private final long serverThreadId;
    private final long startNanos = System.nanoTime();

    Passthrough(Leg client, Leg server, long serverThreadId, SessionEnvironment environment) {
        this.serverThreadId = serverThreadId;
        this.client = client;
        this.server = server;
        counts = environment.metrics().relayCounts();
        duration = environment.passthroughSeconds();
    }

    @Override
    public void fromClient(ByteBuf bytes) {
        counts.bytesFromClient(bytes.readableBytes());
        server.write(bytes);
    }

    @Override
    public void fromServer(ByteBuf bytes) {
        counts.bytesFromServer(bytes.readableBytes());
        client.write(bytes);
    }

    @Override
    public void clientReadComplete() {
        server.flush();
    }

    @Override
    public void serverReadComplete() {
        client.flush();
    }

    @Override
    public long serverThreadId() {
        return serverThreadId;
    }

    /** Not known: the server ends the session after its last response. */
    @Override
    public boolean responsesDue() {
        return true;
    }

    /** The content of TLS is not known: the proxy cannot insert a packet. */
    @Override
    public int errorSequence() {
        return -1;
    }

    @Override
    public String name() {
        return "relaying TLS";
    }

    @Override
    public void close(CloseReason reason) {
        duration.record(System.nanoTime() - startNanos);
    }
}
