package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.command.SessionModel;
import io.understudy.metrics.RelayCounts;
import io.understudy.wire.Leg;
import org.jspecify.annotations.Nullable;

/**
 * Bytes are relayed unchanged until one side closes: of a logged-in session in which a packet did not fit the protocol,
 * with TLS and compression of the legs in place below; or of a client whose TLS ends at the server. That one is counted
 * and timed as a whole; there is nothing to observe in it.
 *
 * @param model the state of the session when it was last read; null if it never was
 * @param atEnd called when the session ends
 */
record Unread(
        Leg client,
        Leg server,
        @Nullable SessionModel model,
        long serverThreadId,
        RelayCounts counts,
        UnreadPackets commands,
        UnreadPackets responses,
        Runnable atEnd)
        implements SessionPhase {
    /** The reason that observers are told, in place of one why the session ended. */
    static final String LABEL = "unread";

    /** Returns the phase of a client whose TLS ends at the server. */
    static Unread passthrough(Leg client, Leg server, long serverThreadId, SessionEnvironment environment) {
        long startNanos = System.nanoTime();
        return new Unread(
                client,
                server,
                null,
                serverThreadId,
                environment.metrics().relayCounts(),
                new UnreadPackets(server),
                new UnreadPackets(client),
                () -> environment.passthroughSeconds.record(System.nanoTime() - startNanos));
    }

    @Override
    public void fromClient(ByteBuf bytes) {
        counts.bytesFromClient(bytes.readableBytes());
        commands.pass(bytes);
    }

    @Override
    public void fromServer(ByteBuf bytes) {
        counts.bytesFromServer(bytes.readableBytes());
        responses.pass(bytes);
    }

    @Override
    public void clientReadComplete() {
        server.flush();
    }

    @Override
    public void serverReadComplete() {
        client.flush();
    }

    /** The proxy cannot insert a packet between bytes that it does not read. */
    @Override
    public int errorSequence() {
        return -1;
    }

    /** Not known: the server ends the session after its last response. */
    @Override
    public boolean responsesDue() {
        return true;
    }

    /** Not known either. */
    @Override
    public boolean pipelined() {
        return true;
    }

    @Override
    public String name() {
        return model == null ? "relaying TLS" : "relaying unread";
    }

    @Override
    public void close(CloseReason reason) {
        commands.close();
        responses.close();
        atEnd.run();
    }
}
