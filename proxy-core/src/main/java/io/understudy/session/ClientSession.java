package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.command.SessionModel;
import io.understudy.handshake.Handshake;
import io.understudy.handshake.LoginResult;
import io.understudy.host.ObserverChain;
import io.understudy.plugin.ServerFlavor;
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
    private static final int ER_HANDSHAKE = 1043;
    private static final int ER_MALFORMED = 1835;

    private final long id;
    private final Leg client;
    private final SessionEnvironment environment;
    private final Consumer<ClientSession> onEnd;

    private SessionPhase phase = new Connecting();
    private @Nullable Leg server;
    private @Nullable ObserverBridge observers;
    private boolean draining;

    /** @param onEnd run once, when the session is over */
    public ClientSession(long id, Leg client, SessionEnvironment environment, Consumer<ClientSession> onEnd) {
        this.id = id;
        this.client = client;
        this.environment = environment;
        this.onEnd = onEnd;
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

    /**
     * What the admin endpoint shows. Any thread: the fields are read without a lock, so a row may be a moment old.
     */
    public Map<String, Object> view() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", id);
        row.put("client", String.valueOf(client.remoteAddress()));
        row.put("phase", phase.name());
        SessionModel model = model();
        if (model != null) {
            row.put("user", model.user());
            row.put("schema", model.schema());
            row.put("serverThreadId", model.serverThreadId());
            row.put("commands", model.commands());
            row.put("inTransaction", model.inTransaction());
        }
        return row;
    }

    public boolean loggedIn() {
        return phase instanceof Relaying;
    }

    public boolean ended() {
        return phase instanceof Ended;
    }

    /** What is known of a logged-in session, else null. */
    public @Nullable SessionModel model() {
        return phase instanceof Relaying relaying ? relaying.model() : null;
    }

    /** The primary has accepted the connection; from now on both sides are read. */
    public void backendConnected(Leg backend) {
        if (ended()) {
            backend.closeAfterFlush();
            return;
        }
        server = backend;
        phase = new LoggingIn(new Handshake(client, backend, this));
        client.setReading(true);
        backend.setReading(true);
    }

    /** The primary cannot be had: the client is told so in the protocol's own words. */
    public void backendFailed(int code, String sqlState, String message) {
        environment.metrics().connection("backend_unreachable");
        log.warn("session {} from {}: {}", id, client.remoteAddress(), message);
        client.write(new ErrPacket(code, sqlState, message).encode(client.alloc(), 0, true));
        end(CloseReason.BACKEND_UNREACHABLE);
    }

    /** Takes ownership. */
    public void fromClient(ByteBuf bytes) {
        try {
            phase.fromClient(bytes);
        } catch (MalformedPacketException e) {
            malformed(CloseReason.CLIENT_MALFORMED, e);
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    /** Takes ownership. */
    public void fromServer(ByteBuf bytes) {
        try {
            phase.fromServer(bytes);
        } catch (MalformedPacketException e) {
            malformed(CloseReason.SERVER_MALFORMED, e);
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    public void clientReadComplete() {
        phase.clientReadComplete();
    }

    public void serverReadComplete() {
        phase.serverReadComplete();
    }

    public void clientClosed() {
        end(CloseReason.CLIENT_CLOSED);
    }

    public void serverClosed() {
        if (phase instanceof LoggingIn) {
            environment.metrics().connection("closed_by_server_in_handshake");
        }
        end(CloseReason.SERVER_CLOSED);
    }

    public void handshakeTimedOut() {
        if (ended() || loggedIn()) {
            return;
        }
        environment.metrics().connection("handshake_timeout");
        log.warn("session {} from {}: no login within the handshake timeout", id, client.remoteAddress());
        refuse(ER_HANDSHAKE, "08S01", "Understudy: the login was not complete within limits.handshakeTimeout");
        end(CloseReason.HANDSHAKE_TIMEOUT);
    }

    @Override
    public void loggedIn(LoginResult result) {
        Leg backend = server;
        if (backend == null || !(phase instanceof LoggingIn login)) {
            throw new IllegalStateException("logged in while " + phase.name());
        }
        SessionModel model = new SessionModel(
                new SessionModel.Login(
                        id,
                        result.reply().user(),
                        result.reply().schema(),
                        result.reply().collation(),
                        client.remoteAddress(),
                        result.greeting().isMariaDb() ? ServerFlavor.MARIADB : ServerFlavor.MYSQL,
                        result.greeting().serverVersion(),
                        result.greeting().threadId(),
                        result.capabilities(),
                        result.status()),
                environment.analyzer(),
                environment.statementLimit());
        ObserverChain chain = environment.plugins().openSession(model);
        ObserverBridge bridge = new ObserverBridge(chain, environment.metrics());
        observers = bridge;
        environment.metrics().connection("accepted");
        Handshake handshake = login.handshake();
        phase = new Relaying(client, backend, model, bridge, environment, this::atBoundary);
        // A client may send its first command right behind its last authentication packet.
        ByteBuf early = handshake.drainClient();
        handshake.close();
        fromClient(early);
        clientReadComplete();
        if (draining) {
            atBoundary();
        }
    }

    @Override
    public void refusedByServer(ErrPacket err) {
        environment.metrics().connection("refused_by_server");
        log.debug(
                "session {} from {}: the server refused: {} {}", id, client.remoteAddress(), err.code(), err.message());
        end(CloseReason.REFUSED_BY_SERVER);
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

    private void malformed(CloseReason reason, MalformedPacketException e) {
        log.warn("session {} from {} closed, {}: {}", id, client.remoteAddress(), reason.label(), e.getMessage());
        if (phase instanceof LoggingIn) {
            environment.metrics().connection("handshake_malformed");
            refuse(ER_HANDSHAKE, "08S01", "Understudy: bad handshake: " + e.getMessage());
        } else {
            refuse(ER_MALFORMED, "HY000", "Understudy: malformed communication packet: " + e.getMessage());
        }
        end(reason);
    }

    private void failed(RuntimeException e) {
        log.error("session {} from {} closed by an error of the proxy's own", id, client.remoteAddress(), e);
        refuse(1105, "HY000", "Understudy: internal error, see the proxy's log");
        end(CloseReason.INTERNAL_ERROR);
    }

    private void refuse(int code, String sqlState, String message) {
        int sequence = phase instanceof LoggingIn login ? login.handshake().clientSequence() : 1;
        client.write(new ErrPacket(code, sqlState, message).encode(client.alloc(), sequence, true));
    }

    private void end(CloseReason reason) {
        if (ended()) {
            return;
        }
        SessionPhase last = phase;
        phase = new Ended();
        environment.metrics().closed(reason.label());
        ObserverBridge bridge = observers;
        if (bridge != null) {
            bridge.closeReason(reason.label());
        }
        last.close();
        client.closeAfterFlush();
        Leg backend = server;
        if (backend != null) {
            backend.closeAfterFlush();
        }
        log.debug("session {} ended: {}", id, reason.label());
        onEnd.accept(this);
    }
}
