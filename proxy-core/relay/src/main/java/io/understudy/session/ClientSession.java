package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.base.NoTask;
import io.understudy.command.SessionModel;
import io.understudy.handshake.Handshake;
import io.understudy.handshake.LoginResult;
import io.understudy.plugin.Outcome;
import io.understudy.wire.Leg;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One client connection with its server connection, from accept to close. All methods must be called on the session's
 * event loop unless stated otherwise. A failure in here ends this session, with a reason, and affects no other.
 */
public final class ClientSession {
    /** Time for the login and for the statements with which a driver sets up its connection. */
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long id;
    private final Leg client;
    private final SessionEnvironment environment;
    private final Consumer<ClientSession> onEnd;
    private final SessionFaults faults;
    final BoundaryRequests requests;
    final PrimaryWait wait;
    final Moving moving;
    private final long begunNanos = System.nanoTime();

    private Runnable leaveWait = () -> {};
    private SessionPhase phase;
    /** Null until the session is connected. */
    private @Nullable Leg server;

    private Destination destination = Destination.FIXED;
    private Future<?> loginTimeout = NoTask.NONE;
    /** Connects to the present primary. */
    private Runnable connector = () -> {};
    /** Takes this session off its server's connection. */
    private Runnable parting = () -> {};
    /** Something was asked of the session at its next boundary. */
    private boolean requested;

    private boolean clientDone;
    /** The server has been told that the client has shut down its output. */
    private boolean endPassedOn;

    /** @param onEnd called once, when the session has ended */
    public ClientSession(long id, Leg client, SessionEnvironment environment, Consumer<ClientSession> onEnd) {
        this.id = id;
        this.client = client;
        this.environment = environment;
        this.onEnd = onEnd;
        this.phase = new Connecting(client);
        this.faults = new SessionFaults(id, client, environment.metrics(), environment.repeated, this::serverThreadId);
        this.requests = new BoundaryRequests(this, faults, environment.hold());
        this.wait = new PrimaryWait(this, environment.absentPrimary(), faults, requests);
        this.moving = new Moving(this, environment);
    }

    /** Returns the session's number, unique while the process runs. */
    public long id() {
        return id;
    }

    private long serverThreadId() {
        return phase.serverThreadId();
    }

    /** Returns the client's address; behind the PROXY protocol, the address in its header. */
    public SocketAddress clientAddress() {
        return client.remoteAddress();
    }

    /** Runs the task on the session's event loop. Thread-safe. */
    public void execute(Runnable task) {
        client.execute(task);
    }

    SessionPhase phase() {
        return phase;
    }

    /**
     * Sets the task that calls {@link #handshakeTimedOut}. It is cancelled when the login is over: left waiting, it
     * would keep the session in memory for its whole length.
     */
    public void limitLogin(Future<?> timeout) {
        endLoginTimeout();
        loginTimeout = timeout;
    }

    /** Sets what takes the session out of a wait for its connection; called when it ends. */
    public void waitsUntil(Runnable leave) {
        leaveWait = leave;
    }

    /** Sets what connects the session to the present primary, and runs it. It runs again after a wait for a primary. */
    public void connectBy(Runnable task) {
        connector = task;
        task.run();
    }

    /**
     * Has a session that is not connected wait for a primary, if it may; then it is connected. Its login's time begins
     * anew after that.
     *
     * @return false if it may not wait, or no longer
     */
    public boolean awaitPrimary() {
        boolean waits = wait.awaitLogin(() -> {
            connecting(false);
            connector.run();
        });
        if (waits) {
            endLoginTimeout();
            connecting(true);
        }
        return waits;
    }

    private void connecting(boolean watched) {
        if (phase instanceof Connecting connecting) {
            connecting.watch(watched);
        }
    }

    /** Has a login wait anew whose server has sent nothing. Returns false if it may not wait, or no longer. */
    private boolean awaitPrimaryAgain() {
        if (!(phase instanceof LoggingIn login) || !login.untouched() || clientDone || !awaitPrimary()) {
            return false;
        }
        parting.run();
        login.close(CloseReason.SERVER_CLOSED);
        server = null;
        destination = Destination.FIXED;
        phase = new Connecting(client);
        connecting(true);
        return true;
    }

    /** Called when there is no primary: the session waits at its next boundary, at once when idle. */
    void primaryAbsent() {
        requested = true;
        if (!awaitPrimaryAgain()) {
            requests.apply();
        }
    }

    /**
     * Has the session leave its server and wait for what became of the statement in flight.
     *
     * @return false if it is to end
     */
    boolean leavesForOutcome() {
        boolean awaits = wait.awaitOutcome();
        if (awaits) {
            parting.run();
        }
        return awaits;
    }

    /** Sets what moves the session to another server. */
    public void movedBy(SessionMover mover) {
        moving.setMover(mover);
    }

    /** Called when the login has succeeded. */
    void loggedIn(LoginResult login) {
        if (environment.moves()) {
            moving.loggedIn(login);
        } else {
            login.proof().wipe();
        }
    }

    /**
     * Begins to move the session, at its boundary, to the present primary, or has it wait for one, unless it does so
     * already.
     *
     * @return false if it is to end instead
     */
    boolean move() {
        if (moving.runs()) {
            return true;
        }
        if (clientDone || !(phase instanceof Relaying relaying)) {
            return false;
        }
        if (mayMove() && wait.awaitAtBoundary()) {
            relaying.hold();
            return true;
        }
        return moving.begin(relaying, wait.parted() || destination.isAbandoned());
    }

    /** Called when a session that was to leave its server need not: that is the primary again. */
    void staysWithServer() {
        moving.stay();
        wentOn(requests.stays());
    }

    /** Returns whether sessions may move. One that logs in ends that with its server, and then moves. */
    boolean mayMove() {
        return environment.moves();
    }

    /** Returns whether the session moves now, as its time with the old server is over; counts it if not. */
    boolean movesAtOnce() {
        moving.giveUpDiagnostics();
        if (moving.begun()) {
            moving.goOn();
            return true;
        }
        SessionModel model = model();
        if (loggedIn()) {
            moving.missed(model == null ? "unread" : model.occupation().reason());
        }
        return false;
    }

    /** Returns whether the client has shut down its output. */
    boolean clientDone() {
        return clientDone;
    }

    /** Returns whether the session's server is the primary. */
    boolean hasPrimary() {
        return destination.isPrimary();
    }

    /** Returns the name of the server that the session is connected to. */
    String serverName() {
        return destination.name();
    }

    /** Returns whether the session has this thread id on the server of that name. Thread-safe like {@link #view}. */
    boolean isThread(long number, String server) {
        return serverThreadId() == number && destination.name().equals(server);
    }

    /**
     * Called when the session has moved.
     *
     * @param before its thread id until then
     */
    void moved(Destination to, Runnable parting, String user, long before) {
        environment.threadIds.register(id, user, to.name(), before, serverThreadId());
        destination = to;
        this.parting = parting;
        wait.arrived();
    }

    /** Called when the session cannot be moved. */
    void notMoved() {
        end(wait.parted() ? faults.serverLost(phase, true) : faults.primaryChanged(phase));
    }

    private void endLoginTimeout() {
        loginTimeout.cancel(false);
        loginTimeout = NoTask.NONE;
    }

    /** Begins the phase behind the login. */
    void enter(SessionPhase next) {
        phase = next;
        endLoginTimeout();
    }

    /** Returns the monotonic time at which the client was accepted. */
    long begunNanos() {
        return begunNanos;
    }

    /** Returns the current phase in one word. */
    public String phaseName() {
        return phase.name();
    }

    /**
     * Returns the session's row on the admin endpoint. Thread-safe: reads fields without a lock, so the row may be
     * slightly out of date.
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
            row.put("moved", moving.count());
        }
        return row;
    }

    /** Returns whether the login is over, or its TLS is relayed unread. */
    public boolean loggedIn() {
        return phase instanceof Relaying || phase instanceof Unread;
    }

    /**
     * Returns whether the client has got what it connected for: its login is over, and it had time for first
     * statements. Thread-safe like {@link #view}.
     */
    public boolean settled() {
        return loggedIn() && System.nanoTime() - begunNanos > SETTLED_NANOS;
    }

    /** Returns whether the session has ended. */
    public boolean ended() {
        return phase instanceof Ended;
    }

    /** Returns the state of a logged-in session, else null. */
    public @Nullable SessionModel model() {
        return phase instanceof Relaying relaying ? relaying.model() : null;
    }

    /**
     * Called when the primary has accepted the connection; from now on both legs are read.
     *
     * @param parting takes the session off that connection and closes it, without a call to the session
     */
    public void serverConnected(Leg primary, Destination to, Runnable parting) {
        this.parting = parting;
        destination = to;
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
                environment.plugins.wantsGtids(),
                new LoginOutcome(this, client, primary, environment, to, faults)));
        client.setReading(true);
        primary.setReading(true);
        if (early.isReadable()) {
            fromClient(early);
        }
    }

    /** Called when the primary cannot be connected to: sends the client an ERR packet. */
    public void serverFailed(int code, String sqlState, String message) {
        if (!ended()) {
            String waited = environment.absentPrimary().waited(begunNanos);
            end(faults.serverFailed(phase, code, sqlState, message + waited));
        }
    }

    /** The process has no file descriptor left for a connection to the primary. */
    public void outOfDescriptors() {
        if (!ended()) {
            end(faults.outOfDescriptors(phase));
        }
    }

    /** Processes bytes from the client. Takes ownership. */
    public void fromClient(ByteBuf bytes) {
        try {
            phase.fromClient(bytes);
        } catch (RuntimeException e) {
            end(faults.thrown(phase, CloseReason.CLIENT_MALFORMED, e));
        }
    }

    /** Processes bytes from the server. Takes ownership. */
    public void fromServer(ByteBuf bytes) {
        if (moving.runs()) {
            bytes.release(); // The old server says why it closes: to the client that would be a response.
            return;
        }
        try {
            phase.fromServer(bytes);
        } catch (RuntimeException e) {
            end(faults.thrown(phase, CloseReason.SERVER_MALFORMED, e));
        }
    }

    /**
     * Ends the session for a failure on the client's leg that is none of input or output: malformed frames, memory,
     * TLS, the proxy's own code.
     */
    public void clientFailed(Throwable cause) {
        if (!ended()) {
            end(faults.failed(phase, CloseReason.CLIENT_MALFORMED, CloseReason.CLIENT_TLS_FAILED, cause));
        }
    }

    /**
     * Ends the session for a failure on the server's leg. A TLS alert behind the client's departure is the server's
     * close: OpenSSL sends one for a FIN that follows no close_notify. {@link #serverClosed} reports it behind the last
     * responses.
     */
    public void serverFailed(Throwable cause) {
        boolean close = clientDone && cause instanceof SSLException && SessionFaults.isAlert(cause);
        boolean cut = cause instanceof SSLException;
        if (!close && !ended() && !(cut && wait.awaitOutcome())) {
            end(faults.failed(phase, CloseReason.SERVER_MALFORMED, CloseReason.SERVER_TLS_FAILED, cause));
        }
    }

    /** Called when the client's socket has been read empty. */
    public void clientReadComplete() {
        phase.clientReadComplete();
        // A command without a response may have ended the last thing that was open, as a cursor.
        applyBoundaryRequests();
    }

    /** Called when the server's socket has been read empty. */
    public void serverReadComplete() {
        phase.serverReadComplete();
        if (phase instanceof LoggingIn login && login.handshake().clientMayGoOn()) {
            fromClient(Unpooled.EMPTY_BUFFER);
        }
        applyBoundaryRequests();
        if (clientDone && !phase.holdsCommands()) {
            if (!phase.responsesDue()) {
                end(CloseReason.CLIENT_CLOSED);
            } else if (!endPassedOn) {
                passOnEnd();
            }
        }
    }

    /** Returns whether the client may have sent commands that the server begins only after another response. */
    public boolean pipelined() {
        return phase.pipelined();
    }

    /**
     * Called when the client has shut down its output. It may still read, so it receives the responses that are due.
     */
    public void clientShutOutput() {
        clientDone = true;
        phase.clientShutOutput();
        if (wait.parted() || !phase.holdsCommands()) {
            passOnEnd();
        }
    }

    private void passOnEnd() {
        if (!phase.responsesDue()) {
            countDeparture();
            end(CloseReason.CLIENT_CLOSED);
        } else if (loggedIn()) {
            // The server must see it, too: it may be waiting for the rest of a file that will not come.
            endPassedOn = true;
            leg().shutdownOutput();
        } // else once that the commands sent with the login have been passed on
    }

    /**
     * Called when the client's connection has closed.
     *
     * @param closeNotify whether it sent close_notify; a server that executes a statement notices a close without one
     *     sooner
     */
    public void clientClosed(boolean closeNotify) {
        if (!closeNotify && phase.responsesDue()) {
            leg().closeWithoutNotify();
        }
        countDeparture();
        end(CloseReason.CLIENT_CLOSED);
    }

    /** Returns the server's leg, from which responses are due. */
    private Leg leg() {
        return Objects.requireNonNull(server, "not connected to the primary");
    }

    private void countDeparture() {
        String outcome = phase.departure();
        if (outcome != null) {
            environment.metrics().connection(outcome);
        }
    }

    /** Called when the server's connection has closed. */
    public void serverClosed() {
        if (ended() || awaitPrimaryAgain()) {
            return;
        }
        if (moving.begun()) {
            wait.part();
            moving.goOn();
            return;
        }
        if (wait.outlivesServer() || wait.awaitOutcome()) {
            return;
        }
        if (phase instanceof LoggingIn) {
            environment.metrics().connection("closed_by_server_in_handshake");
        }
        phase.serverGone();
        end(CloseReason.SERVER_CLOSED);
    }

    /**
     * Ends the session if it is not logged in yet, unless it may wait for a primary. Called when
     * {@code limits.handshakeTimeout} is over.
     */
    public void handshakeTimedOut() {
        if (!ended() && !loggedIn()) {
            boolean serverDue = phase instanceof LoggingIn login && login.serverDue();
            if (serverDue) {
                destination.silent();
                if (awaitPrimaryAgain()) {
                    return;
                }
            }
            end(serverDue ? faults.serverSilent(phase, destination.name()) : faults.handshakeTimedOut(phase));
        }
    }

    /** Applies a FIN received during the login, after the commands that preceded it. */
    void clientDoneBehindEarly() {
        if (clientDone && !ended()) {
            clientDone = false; // compressed commands may still wait, and nothing be due meanwhile
            client.afterReceived(() -> {
                if (!ended()) {
                    clientShutOutput();
                }
            });
        }
    }

    /**
     * Continues unread after a packet that did not fit the protocol as the proxy knows it: client and server may still
     * understand each other.
     */
    void unread(Unread next, RuntimeException fault) {
        phase = next;
        faults.unread(fault);
    }

    /** Closes the session at the next boundary, at once when idle. */
    public void drain() {
        requested = true;
        requests.drain();
    }

    /** Called when a plugin has refused the session: ends it at its next boundary, at once when idle. Thread-safe. */
    void refused() {
        execute(() -> {
            requested = true;
            requests.refused();
        });
    }

    /** Ends the session because the drain timeout has expired. */
    public void drainNow() {
        wait.outcome(new Outcome.Unknown("the proxy stops"));
        end(CloseReason.DRAIN_TIMEOUT);
    }

    /**
     * Called when the primary has changed. A session with a server that no longer is the primary is closed at its next
     * boundary, at once when idle, or when logging in unless it may move.
     *
     * @param change counts the changes
     */
    public void primaryChanged(int change) {
        if (!destination.isPrimary() && (wait.on() || awaitPrimaryAgain())) {
            wait.missed(change);
            return; // its turn comes
        }
        requested = true;
        requests.primaryChanged(destination.isPrimary(), change);
    }

    /** Ends the session if since that change, or longer, it has been with a server that no longer is the primary. */
    public void leaveNow(int change) {
        requests.leaveNow(change);
    }

    /** Takes out the observers of plugins that were removed from the configuration. */
    public void leave(Collection<String> plugins) {
        if (phase instanceof Relaying relaying) {
            relaying.leave(plugins);
        }
    }

    /** Holds the session at its next boundary, at once when idle, while {@link Hold#on}. */
    public void hold() {
        requested = true;
        requests.hold();
    }

    /** Ends {@link #hold}. */
    public void release() {
        wentOn(requests.release());
    }

    /** Called when the session may go on; the end of a client that left meanwhile is passed on. */
    void wentOn(boolean wasHeld) {
        if (wasHeld && clientDone && !ended() && !phase.holdsCommands()) {
            passOnEnd();
        }
    }

    /** Returns whether the session is held at a boundary. Thread-safe like {@link #view}. */
    public boolean held() {
        return phase instanceof Relaying relaying && relaying.onHold();
    }

    /**
     * Returns what a logged-in session that is not held is busy with, as a row on the admin endpoint. Thread-safe like
     * {@link #view}.
     */
    public Map<String, Object> occupation(SessionModel model) {
        SessionModel.Occupation busy = model.occupation();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", id);
        row.put("user", model.user());
        row.put("client", String.valueOf(client.remoteAddress()));
        row.put("serverThreadId", model.serverThreadId());
        row.put("in", busy.what());
        row.put("forMillis", Math.max(0, (System.nanoTime() - busy.sinceNanos()) / 1_000_000));
        return row;
    }

    /** Ends or holds a session that is at a boundary, if that was asked. */
    void applyBoundaryRequests() {
        if (requested) {
            requests.apply();
        }
    }

    /** Ends the session. Idempotent. */
    void end(CloseReason reason) {
        if (ended()) {
            return;
        }
        SessionPhase last = phase;
        phase = new Ended();
        endLoginTimeout();
        leaveWait.run();
        wait.end(reason);
        environment.metrics().closed(reason.label());
        moving.ended();
        if (moving.count() > 0) {
            environment.threadIds.remove(id);
        }
        last.close(reason);
        client.closeAfterInput();
        if (server != null) {
            server.closeAfterFlush();
        }
        faults.ended(last, reason);
        onEnd.accept(this);
    }
}
