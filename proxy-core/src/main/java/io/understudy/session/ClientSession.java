package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.command.SessionModel;
import io.understudy.handshake.Handshake;
import io.understudy.handshake.LegCompression;
import io.understudy.handshake.LoginRefusal;
import io.understudy.handshake.LoginResult;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.packet.ErrPacket;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection with its server connection, from accept to close. All methods run on the session's event loop.
 * Whatever goes wrong in here ends this session, with a reason, and touches no other.
 */
public final class ClientSession implements Handshake.Outcome {
    private static final Logger log = LoggerFactory.getLogger(ClientSession.class);

    private final long id;
    private final Leg client;
    private final SessionEnvironment environment;
    private final Consumer<ClientSession> onEnd;
    private final SessionFaults faults;
    private final long begunNanos = System.nanoTime();

    private SessionPhase phase = new Connecting();
    private Leg server = NoServer.LEG;
    private boolean draining;
    private boolean clientDone;

    /** @param onEnd run once, when the session is over */
    public ClientSession(long id, Leg client, SessionEnvironment environment, Consumer<ClientSession> onEnd) {
        this.id = id;
        this.client = client;
        this.environment = environment;
        this.onEnd = onEnd;
        this.faults = new SessionFaults(id, client, environment.metrics());
    }

    public long id() {
        return id;
    }

    public SocketAddress clientAddress() {
        return client.remoteAddress();
    }

    /** Runs on the session's event loop. Any thread. */
    public void execute(Runnable task) {
        client.execute(task);
    }

    /** What the session is doing, in a word. */
    public String phaseName() {
        return phase.name();
    }

    /**
     * What the admin endpoint shows. Any thread: the fields are read without a lock, so a row may be a moment old.
     */
    public Map<String, Object> view() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", id);
        row.put("client", String.valueOf(client.remoteAddress()));
        row.put("phase", phase.name());
        SessionModel model = phase instanceof Unread unread ? unread.model() : model();
        if (model != null) {
            row.put("user", model.user());
            row.put("schema", model.schema());
            row.put("serverThreadId", model.serverThreadId());
        }
        if (model != null && phase instanceof Relaying) {
            row.put("commands", model.commands());
            row.put("inTransaction", model.inTransaction());
        }
        return row;
    }

    public boolean loggedIn() {
        return phase instanceof Relaying || phase instanceof Unread || phase instanceof Passthrough;
    }

    public boolean ended() {
        return phase instanceof Ended;
    }

    /** What is known of a logged-in session, else null. */
    public @Nullable SessionModel model() {
        return phase instanceof Relaying relaying ? relaying.model() : null;
    }

    /** The primary has accepted the connection; from now on both sides are read. */
    public void serverConnected(Leg primary) {
        if (ended()) {
            primary.closeAfterFlush();
            return;
        }
        server = primary;
        ByteBuf early = phase instanceof Connecting connecting ? connecting.takeEarly() : Unpooled.EMPTY_BUFFER;
        phase = new LoggingIn(new Handshake(
                client,
                primary,
                environment.loginPolicy(),
                environment.plugins().wantsGtids(),
                this));
        client.setReading(true);
        primary.setReading(true);
        if (early.isReadable()) {
            fromClient(early);
        }
    }

    /** The primary cannot be had: the client is told so in the protocol's own words. */
    public void serverFailed(int code, String sqlState, String message) {
        if (!ended()) {
            end(faults.serverFailed(phase, code, sqlState, message));
        }
    }

    /** Takes ownership. */
    public void fromClient(ByteBuf bytes) {
        try {
            phase.fromClient(bytes);
        } catch (MalformedPacketException e) {
            end(faults.malformed(phase, CloseReason.CLIENT_MALFORMED, e));
        } catch (LoginRefusal e) {
            end(faults.refused(phase, e));
        } catch (RuntimeException e) {
            end(faults.ownError(phase, e));
        }
    }

    /** Takes ownership. */
    public void fromServer(ByteBuf bytes) {
        try {
            phase.fromServer(bytes);
        } catch (MalformedPacketException e) {
            end(faults.malformed(phase, CloseReason.SERVER_MALFORMED, e));
        } catch (LoginRefusal e) {
            end(faults.refused(phase, e));
        } catch (RuntimeException e) {
            end(faults.ownError(phase, e));
        }
    }

    /** What the client sent cannot be taken apart, below the session already. */
    public void clientMalformed(MalformedPacketException e) {
        if (!ended()) {
            end(faults.malformed(phase, CloseReason.CLIENT_MALFORMED, e));
        }
    }

    public void serverMalformed(MalformedPacketException e) {
        if (!ended()) {
            end(faults.malformed(phase, CloseReason.SERVER_MALFORMED, e));
        }
    }

    public void clientReadComplete() {
        phase.clientReadComplete();
    }

    public void serverReadComplete() {
        phase.serverReadComplete();
        if (phase instanceof LoggingIn login && login.handshake().clientMayGoOn()) {
            fromClient(Unpooled.EMPTY_BUFFER);
        }
        if (draining) {
            atBoundary();
        }
        if (clientDone && !phase.responsesDue()) {
            end(CloseReason.CLIENT_CLOSED);
        }
    }

    /** The client sends nothing more but may still listen, as it may towards a server: it gets the answers that are due. */
    public void clientShutOutput() {
        clientDone = true;
        phase.clientShutOutput();
        if (!phase.responsesDue()) {
            end(CloseReason.CLIENT_CLOSED);
        } else {
            // The server has to know as well: it may be waiting for the rest of a file that will not come.
            server.shutdownOutput();
        }
    }

    /**
     * The client is gone.
     *
     * @param farewell it has said so by close_notify; a server in the middle of a statement sees one that has not sooner
     */
    public void clientClosed(boolean farewell) {
        if (!farewell && phase.responsesDue()) {
            server.closeWithoutFarewell();
        }
        end(CloseReason.CLIENT_CLOSED);
    }

    public void serverClosed() {
        if (phase instanceof LoggingIn) {
            environment.metrics().connection("closed_by_server_in_handshake");
        }
        phase.serverGone();
        end(CloseReason.SERVER_CLOSED);
    }

    public void handshakeTimedOut() {
        if (!ended() && !loggedIn()) {
            end(faults.handshakeTimedOut(phase));
        }
    }

    @Override
    public void loggedIn(LoginResult result) {
        if (!(phase instanceof LoggingIn login)) {
            throw new IllegalStateException("logged in while " + phase.name());
        }
        environment.metrics().connection("accepted");
        Handshake handshake = login.handshake();
        Relaying relaying = new RelayingFactory(id, begunNanos, client, server, environment)
                .relaying(result, this::atBoundary, this::unread);
        phase = relaying;
        LegCompression compression = result.compression();
        // A client may send its first command right behind its last authentication packet.
        ByteBuf early = handshake.drainClient();
        // Nothing is due behind the OK packet but what a server says that closes at once.
        ByteBuf late = handshake.drainServer();
        handshake.close();
        if (compression.compressesServer()) {
            server.startCompression(compression.ofServer(), late);
        } else {
            fromServer(late);
        }
        if (phase == relaying) {
            relaying.begin(this::fromClient);
        }
        if (compression.compressesClient()) {
            client.startCompression(compression.ofClient(), early);
        } else {
            fromClient(early);
        }
        clientReadComplete();
        if (draining) {
            atBoundary();
        }
    }

    /** A packet did not fit the protocol as the proxy knows it: client and server may still understand each other. */
    private void unread(Unread next, RuntimeException fault) {
        phase = next;
        faults.unread(fault);
    }

    @Override
    public void refusedByServer(ErrPacket err) {
        end(faults.refusedByServer(err));
    }

    @Override
    public void passthrough() {
        if (!(phase instanceof LoggingIn login)) {
            throw new IllegalStateException("TLS is to be relayed while " + phase.name());
        }
        environment.metrics().connection("passthrough");
        Handshake handshake = login.handshake();
        phase = new Passthrough(client, server, environment);
        ByteBuf fromClient = handshake.drainClient();
        ByteBuf fromServer = handshake.drainServer();
        handshake.close();
        phase.fromClient(fromClient);
        phase.fromServer(fromServer);
        phase.clientReadComplete();
        phase.serverReadComplete();
    }

    @Override
    public void tlsFailed(boolean withServer, Throwable cause) {
        if (!ended()) {
            end(withServer ? faults.noTlsWithServer(phase, cause) : faults.noTlsWithClient(cause));
        }
    }

    /** No new work: closes at the next boundary, at once when idle. */
    public void drain() {
        draining = true;
        if (!loggedIn()) {
            end(CloseReason.DRAINED);
        } else {
            atBoundary();
        }
    }

    /** The drain timeout has passed. */
    public void drainNow() {
        end(CloseReason.DRAIN_TIMEOUT);
    }

    private void atBoundary() {
        SessionModel model = model();
        if (draining && model != null && model.atBoundary()) {
            end(CloseReason.DRAINED);
        }
    }

    private void end(CloseReason reason) {
        if (ended()) {
            return;
        }
        SessionPhase last = phase;
        phase = new Ended();
        environment.metrics().closed(reason.label());
        last.close(reason);
        client.closeAfterFlush();
        server.closeAfterFlush();
        log.debug("session {} ended: {}", id, reason.label());
        onEnd.accept(this);
    }
}
