package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.command.CommandTracker;
import io.understudy.command.Exchange;
import io.understudy.command.LostStatement;
import io.understudy.command.Question;
import io.understudy.command.ResponseTracker;
import io.understudy.command.SessionModel;
import io.understudy.handshake.AuthBridge;
import io.understudy.handshake.LoginRefusal;
import io.understudy.metrics.RelayCounts;
import io.understudy.plugin.Outcome;
import io.understudy.sql.StatementKind;
import io.understudy.sql.TableName;
import io.understudy.wire.Leg;
import io.understudy.wire.PacketScanner;
import io.understudy.wire.PacketSink;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.ErrPacket;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The command phase: two scanners, one for each direction, with the tracker between them. Bytes are flushed when the
 * leg they came from has been read empty, so packets that arrived together are sent together.
 */
final class Relaying implements SessionPhase {
    /**
     * Longer than the shortest response to an injected statement, an OK_Packet; that one alone is useless until the
     * response to the client's statement arrives.
     */
    private static final int INJECTED_AND_MORE = 12;

    /** What commands are timed by: the kinds of statements by their ordinals, and {@link #NO_STATEMENT}. */
    static final List<String> KINDS = Stream.concat(
                    Stream.of(StatementKind.values()).map(StatementKind::label), Stream.of("not_a_statement"))
            .toList();

    private static final int NO_STATEMENT = KINDS.size() - 1;

    private final ClientSession session;
    private final Leg client;
    private final Leg server;
    private final SessionModel model;
    private final RelayCounts counts;
    private final ObserverChain observers;
    private final CommandTracker tracker;
    private final PacketScanner commands;
    private final PacketScanner responses;
    /** Null if no observer injects statements. */
    private final @Nullable BoundaryInjector injector;

    private final ResponseTracker responseTracker;

    /** Behind {@link #changeUser}. */
    private final PacketSink toClient;

    /** Null between legs that are alike. */
    private @Nullable ChangeUserBridge changeUser;

    /** Null while the session can be read. */
    private @Nullable Unfit unfit;

    private long readNanos;
    /** What the client's last read took; negative if that is not measured. */
    private long requestNanos = -1;

    private boolean responded;
    /** Takes held bytes once they are passed on; as long as nothing is held, the session's entrance. */
    private Consumer<ByteBuf> again = this::fromClient;
    /**
     * Bytes that wait: for the response to a statement injected right after the login, for the end of a hold, or until
     * fewer responses are due.
     */
    private HeldCommand held = HeldCommand.NONE;
    /** No further command is taken until responses have arrived. */
    private boolean full;
    /** The session is held at its boundary: by an operator, or because there is no primary. */
    private boolean onHold;

    /** A question is being passed on, ahead of what is held. */
    private boolean asks;

    private long heldNanos;
    /** The statement in flight when the server was lost, from {@link #outcome} on; null before that. */
    private @Nullable LostStatement lost;

    private boolean awaitsOutcome;
    /** Called when the client has sent something though the session is held; null while it is not read. */
    private @Nullable Runnable arrived;
    /** The client has run a statement, about which it may ask. */
    private boolean leavesDiagnostics;

    /** Why the session can no longer be read, and what forwards the packets from there on. */
    private record Unfit(RuntimeException fault, UnreadPackets commands, UnreadPackets responses) {}

    /**
     * @param filter removes parts of OK packets for the client; null to forward them unchanged
     * @param bridge for legs of which only one is secure; else null
     */
    Relaying(
            ClientSession session,
            Leg client,
            Leg server,
            SessionModel model,
            ObserverChain observers,
            SessionEnvironment environment,
            @Nullable OkPacketFilter filter,
            @Nullable AuthBridge bridge) {
        this.session = session;
        this.client = client;
        this.server = server;
        this.model = model;
        this.observers = observers;
        this.counts = environment.metrics().relayCounts();
        injector = observers.mayWant() ? new BoundaryInjector(model, observers, server.alloc(), server::write) : null;
        responseTracker = new ResponseTracker(
                model,
                observers,
                client,
                (fault, undecided) -> unfit(fault, undecided).responses(),
                this::responded);
        PacketSink filtered = filter == null ? responseTracker : new FilteredResponses(responseTracker, filter);
        toClient = observers.mayWatchRows()
                ? new WatchedRows(filtered, model.inFlight(), observers::rowWatcherFailed)
                : filtered;
        tracker = new CommandTracker(
                model,
                observers,
                injector,
                responseTracker,
                server,
                (fault, undecided) -> unfit(fault, false).commands());
        commands = new PacketScanner(tracker, server.alloc());
        responses = new PacketScanner(toClient, client.alloc());
        changeUserBy(bridge);
    }

    private void changeUserBy(@Nullable AuthBridge bridge) {
        ChangeUserBridge between = ChangeUserBridge.of(bridge, model, client, server);
        changeUser = between;
        commands.reportTo(between == null ? tracker : between.commands(tracker));
        responses.reportTo(between == null ? toClient : between.responses(toClient));
    }

    /** Returns what carries the COM_CHANGE_USER in progress between unlike legs; null without one. */
    private @Nullable ChangeUserBridge changingUser() {
        ChangeUserBridge between = changeUser;
        return between != null && between.active() ? between : null;
    }

    private void forgetSecrets() {
        if (changeUser != null) {
            changeUser.close();
        }
    }

    /**
     * Gives responses the packet numbers that they would have without compression; a server that compresses derives
     * them from its frames. Must be called before the first bytes.
     */
    void numberResponses() {
        responses.numberBy(came -> {
            ChangeUserBridge changing = changingUser();
            if (changing != null) {
                return changing.serverSequence();
            }
            Exchange head = model.inFlight().head();
            // Where responses are no longer tracked, the number guessed from the frames is used.
            return head == null || unfit != null ? came : head.takeSequence();
        });
    }

    SessionModel model() {
        return model;
    }

    /** See {@link ClientSession#leave}. */
    void leave(Collection<String> plugins) {
        plugins.forEach(observers::leave);
    }

    @Override
    public long serverThreadId() {
        return model.serverThreadId();
    }

    /**
     * Sends statements that are injected before the client's first command. Must be called once, before the first bytes
     * of either leg.
     *
     * @param entrance receives bytes that had to wait
     */
    void begin(Consumer<ByteBuf> entrance) {
        again = entrance;
        if (injector != null && injector.afterLogin()) {
            held = new HeldCommand(again);
            client.setReading(false);
            server.flush();
        }
    }

    @Override
    public void fromClient(ByteBuf bytes) {
        if (held != HeldCommand.NONE && !asks) {
            held.hold(bytes);
            Runnable listener = arrived;
            if (listener != null) {
                arrived = null;
                client.setReading(false);
                listener.run();
            }
            return;
        }
        readNanos = System.nanoTime();
        model.tick(readNanos);
        counts.bytesFromClient(bytes.readableBytes());
        commands.scan(bytes);
        if (unfit != null) {
            becomeUnread(unfit);
            return;
        }
        boolean postponed = commands.postponed();
        if (postponed || model.inFlight().isFull()) {
            full = true;
            held = new HeldCommand(again);
            client.setReading(false);
        }
        if (postponed) {
            held.hold(commands.takeRest());
        }
    }

    @Override
    public void clientReadComplete() {
        if (injector != null) {
            server.awaitAtLeast(injectedComesFirst() ? INJECTED_AND_MORE : 1);
        }
        server.flush();
        requestNanos = counts.beginsMeasurement(readNanos) ? System.nanoTime() - readNanos : -1;
    }

    /** Returns whether the next response due is that of an injected statement, and one of the client's follows. */
    private boolean injectedComesFirst() {
        Exchange head = model.inFlight().head();
        return head != null
                && head.injected() != null
                && head.packets() == 0
                && model.inFlight().size() > 1;
    }

    @Override
    public void fromServer(ByteBuf bytes) {
        readNanos = System.nanoTime();
        model.tick(readNanos);
        counts.bytesFromServer(bytes.readableBytes());
        responses.scan(bytes);
        if (unfit != null) {
            becomeUnread(unfit);
            return;
        }
    }

    @Override
    public void serverReadComplete() {
        client.flush();
        if (injector != null && !model.inFlight().isEmpty()) {
            server.awaitAtLeast(1); // one of two responses came alone, and the other may be shorter than both
        }
        if (responded) {
            responded = false;
            if (requestNanos >= 0) {
                counts.overhead(requestNanos + System.nanoTime() - readNanos);
            }
        }
        // Also behind the response to an injected statement, and before what waits for that goes to the server.
        session.applyBoundaryRequests();
        if (held != HeldCommand.NONE
                && !onHold
                && (full ? !model.inFlight().isFull() : model.inFlight().isEmpty())) {
            passOnHeld();
        }
    }

    /** Returns whether the client knows, or is about to be told, why the server closes the connection. */
    boolean closeExpected() {
        return responseTracker.unsaid() != null || responseTracker.closeExpected();
    }

    /** Holds what the client sends from now on, and stops reading it. Must be called at a boundary. */
    void hold() {
        if (!onHold) {
            onHold = true;
            heldNanos = System.nanoTime();
            if (held == HeldCommand.NONE) {
                held = new HeldCommand(again);
            }
        }
        arrived = null;
        client.setReading(false);
    }

    /** Holds the session like {@link #hold}, and reports once when the client has sent something. */
    void holdNext(Runnable listener) {
        hold();
        arrived = listener;
        client.setReading(true);
    }

    /**
     * Returns whether the client's next command asks about the statement before; null if it may, as the command has not
     * come. Must be called at a boundary.
     */
    @Nullable
    Question question() {
        if (!leavesDiagnostics) {
            return Question.NOT_ASKED;
        }
        ByteBuf first = held.first();
        Question asked = first == null ? null : model.question(first);
        return asked == Question.CUT ? null : asked;
    }

    /** Sends the first held command, and holds on what follows it. */
    void passOnQuestion() {
        ByteBuf first = Objects.requireNonNull(held.first(), "a command is held");
        asks = true;
        again.accept(held.takeFirst(Packets.HEADER + first.getUnsignedMediumLE(first.readerIndex())));
        asks = false;
        clientReadComplete();
    }

    /** Returns whether the server can be lost now without a loss to the client, once another takes its place. */
    boolean mayLoseServer() {
        return !closeExpected() && !model.statusInDoubt() && (model.mayPause() || tracker.resendable());
    }

    /**
     * Asks the observers, once, what became of the statement in flight, whose response will not come. If the client is
     * to be told, the session is held until {@link #tell}.
     *
     * @param patience zero if the client is not to be told
     * @return null if nobody can find out, or the client cannot be told
     */
    @Nullable
    CompletionStage<Outcome> outcome(Duration patience) {
        LostStatement statement = lost == null ? LostStatement.of(model) : null;
        if (statement == null) {
            return null;
        }
        lost = statement;
        boolean tells = !patience.isZero()
                && statement.answerable()
                && !model.sending() // what comes of it must reach no other server
                && responses.cleanCut()
                && !closeExpected()
                && changingUser() == null;
        CompletionStage<Outcome> stage = observers.outcomeOf(statement.exchange(), tells ? patience : Duration.ZERO);
        if (!tells || stage == null) {
            return null;
        }
        awaitsOutcome = true;
        holdNext(() -> {});
        return stage;
    }

    /** Returns whether the client is to be told of a statement whose response will not come. */
    boolean awaitsOutcome() {
        return awaitsOutcome;
    }

    /** Sends the client a response, of which observers are told like of the server's, if {@link #awaitsOutcome}. */
    void tell(Outcome outcome) {
        LostStatement statement = lost;
        if (!awaitsOutcome || statement == null) {
            return;
        }
        awaitsOutcome = false;
        model.tick(System.nanoTime());
        boolean cut = responses.dropCut();
        model.inFlight().removeInjected();
        Exchange oldest = Objects.requireNonNull(model.inFlight().head(), "a response is due");
        boolean begun = oldest.packets() > (cut ? 1 : 0);
        int sequence = begun ? responseTracker.nextSequence() : oldest.firstSequence();
        Outcome told = statement.told(outcome);
        observers.outcomeTold(statement.exchange(), told, true);
        responses.scan(statement.respond(told, begun, sequence, client.alloc()));
        client.flush();
        if (statement.alone()) {
            model.lostTransaction();
            lost = null;
        }
    }

    /** Returns the tables and views of the read that is sent again to the next server; empty without one. */
    List<TableName> readAgain() {
        return responsesDue() ? tracker.readAgain() : List.of();
    }

    /** Called when the session has gone on to another server. */
    void moved() {
        leavesDiagnostics = false;
        responses.close(); // a header that the old server has not finished
        observers.moved();
        followSecrecy();
        if (responsesDue()) {
            tracker.resend();
            server.flush();
        }
    }

    /**
     * Has the password of a next user sent as the new server's leg requires: it may have TLS where the old had none.
     */
    private void followSecrecy() {
        AuthBridge bridge = AuthBridge.between(client.isSecret(), server.isSecret());
        if ((changeUser == null) != (bridge == null)) {
            forgetSecrets();
            changeUserBy(bridge);
        }
    }

    /** Returns the session variables whose present values are the proxy's. */
    Set<String> ownVariables() {
        return observers.ownVariables();
    }

    boolean onHold() {
        return onHold;
    }

    /** Ends {@link #hold}. Returns its length in nanoseconds, 0 if the session was not held. */
    long release() {
        if (!onHold) {
            return 0;
        }
        onHold = false;
        arrived = null;
        passOnHeld();
        return System.nanoTime() - heldNanos;
    }

    /**
     * Called when a packet did not fit. The rest of the buffer goes to a sink that forwards it, and then the next phase
     * begins.
     *
     * @param undecided whether it is a response's, and will be reported again
     */
    private Unfit unfit(RuntimeException fault, boolean undecided) {
        // A refusal is the proxy's own decision, in an exchange between unlike legs both halves are the proxy's own,
        // and in a session that has moved the ids of statements: none of it can be relayed unread.
        if (unfit != null
                || changingUser() != null
                || isOwnDecision(fault)
                || model.prepared().moved()) {
            throw fault;
        }
        Unfit found = new Unfit(
                fault, UnreadPackets.ofClient(server, commands, changeUser != null), unreadResponses(undecided));
        unfit = found;
        return found;
    }

    private static boolean isOwnDecision(RuntimeException fault) {
        return fault instanceof LoginRefusal || fault instanceof PluginRefusal;
    }

    /** @param undecided whether the current packet will be reported again */
    private UnreadPackets unreadResponses(boolean undecided) {
        Exchange head = model.inFlight().head();
        int injected = model.inFlight().injectedAhead();
        boolean begun = injected > 0 && head != null && head.packets() > (undecided ? 1 : 0);
        return UnreadPackets.ofServer(client, responses, begun ? injected - 1 : injected, begun);
    }

    private void becomeUnread(Unfit found) {
        observers.close(Unread.LABEL);
        found.commands().begin();
        found.responses().begin();
        forgetSecrets();
        server.awaitAtLeast(1);
        session.unread(
                new Unread(
                        client,
                        server,
                        model,
                        model.serverThreadId(),
                        counts,
                        found.commands(),
                        found.responses(),
                        () -> {}),
                found.fault());
        model.inFlight().givePermits();
        client.setReading(true);
        HeldCommand waiting = held;
        held = HeldCommand.NONE;
        waiting.passOn();
        server.flush();
    }

    /** Forwards held bytes after the injected statement, without waiting for its response. */
    @Override
    public void clientShutOutput() {
        if (!onHold) {
            passOnHeld();
        }
    }

    private void passOnHeld() {
        if (held != HeldCommand.NONE) {
            HeldCommand waiting = held;
            held = HeldCommand.NONE;
            full = false;
            client.setReading(true);
            waiting.passOn();
            clientReadComplete();
        }
    }

    @Override
    public boolean responsesDue() {
        return model.inFlight().head() != null;
    }

    /** Returns whether a response is due of which nothing has come. */
    boolean awaitsResponse() {
        Exchange head = model.inFlight().head();
        return head != null && head.packets() == 0;
    }

    @Override
    public boolean pipelined() {
        return model.inFlight().size() > 1 || held.holdsAny();
    }

    @Override
    public boolean holdsCommands() {
        return held.holdsAny();
    }

    private void responded(Exchange exchange) {
        responded = true;
        leavesDiagnostics |= exchange.isStatement();
        counts.command(
                exchange.code(),
                exchange.isStatement() ? exchange.kind().ordinal() : NO_STATEMENT,
                exchange.lastByteNanos() - exchange.receivedNanos());
    }

    /**
     * Forwards the error in the server's last response, to an injected statement, to the client: its own command will
     * get no response.
     */
    @Override
    public void serverGone() {
        ErrPacket error = responseTracker.unsaid();
        if (error == null) {
            return;
        }
        Exchange pending = model.inFlight().last();
        if (pending != null && pending.injected() == null) {
            client.write(error.encode(client.alloc(), pending.takeSequence(), true));
        } else if (held.holdsAny()) {
            client.write(error.encode(client.alloc(), 1, true));
        }
    }

    @Override
    public int errorSequence() {
        ChangeUserBridge changing = changingUser();
        int next = changing == null ? responseTracker.nextSequence() : changing.clientSequence();
        return responses.cleanCut() ? next : -1;
    }

    @Override
    public String name() {
        return "relaying";
    }

    @Override
    public void close(CloseReason reason) {
        if (awaitsOutcome) {
            awaitsOutcome = false;
            Outcome untold = new Outcome.Unknown("the session has ended: " + reason.label());
            observers.outcomeTold(Objects.requireNonNull(lost).exchange(), untold, false);
        } else {
            outcome(Duration.ZERO);
        }
        held.drop();
        held = HeldCommand.NONE;
        model.inFlight().givePermits();
        commands.close();
        responses.close();
        forgetSecrets();
        observers.close(reason.label());
    }
}
