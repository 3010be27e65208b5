package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.command.response.ResponseGrammars;
import io.understudy.command.settings.FollowedState;
import io.understudy.command.settings.ServerLocks;
import io.understudy.plugin.Interest;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.sql.InsertedValues;
import io.understudy.sql.LockChange;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.PacketSink;
import io.understudy.wire.packet.ErrPacket;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tracks responses on their way to the client: the server side of the tracker. Responses arrive in the order of the
 * commands, so each packet belongs to the oldest exchange in flight. The response to an injected statement is dropped.
 */
public final class ResponseTracker implements PacketSink {
    /** Where a COM_STMT_PREPARE_OK has the statement's id. */
    private static final int ID_AT = 1;
    /** Of an EXECUTE: nothing has that name. */
    private static final int ER_UNKNOWN_STMT_HANDLER = 1243;

    private final SessionModel model;
    private final InFlight inFlight;
    private final CommandListener listener;
    private final Leg client;
    private final BiFunction<RuntimeException, Boolean, PacketSink> unfit;
    private final Consumer<Exchange> observer;
    private final boolean responses;
    private boolean fileUnfinished;
    /**
     * The error of the last injected statement, until the server responds to the client's command after it; else null.
     */
    private @Nullable ErrPacket unsaid;

    /** The server has sent an error while no response was due. */
    private boolean saidWhy;

    /** Code of the command whose response ended last. */
    private int lastCommand = -1;

    /** Number of the current packet. */
    private int sequence;

    /** Number of the next packet to the client, unless that begins a response. */
    private int nextSequence = 1;

    /**
     * @param client what responses are forwarded to
     * @param unfit asked when a packet does not fit the protocol, see {@link PacketSink#instead}
     * @param observer receives every complete response, for the proxy's own metrics
     */
    public ResponseTracker(
            SessionModel model,
            CommandListener listener,
            Leg client,
            BiFunction<RuntimeException, Boolean, PacketSink> unfit,
            Consumer<Exchange> observer) {
        this.model = model;
        this.inFlight = model.inFlight();
        this.listener = listener;
        this.client = client;
        this.unfit = unfit;
        this.observer = observer;
        this.responses = (listener.interests() & Interest.RESPONSES) != 0;
    }

    @Override
    public int onPacket(int length, int number, int first) {
        sequence = number;
        Exchange exchange = due(first);
        if (unsaid != null && (exchange == null || exchange.injected() == null)) {
            unsaid = null;
        }
        if (exchange == null) {
            if (first == Marker.ERR) {
                saidWhy = true;
                return 0; // the server says why it is about to close an idle connection
            }
            if (model.responsesInDoubt()) {
                return 0;
            }
            throw lastCommand == CommandCode.CLONE
                    ? new MalformedPacketException(
                            MalformedPacketException.Kind.CLONE,
                            "another server clones this one, in a protocol between servers")
                    : new MalformedPacketException(
                            MalformedPacketException.Kind.RESPONSE_NOT_DUE,
                            "the server sent a packet though no response was due");
        }
        exchange.firstByte(model.nanos);
        int wanted = exchange.packet(length, first);
        if (exchange.injected() != null) {
            return wanted | PacketSink.DROP;
        }
        if ((wanted & PacketSink.OK_PACKET) != 0) {
            exchange.trackingChanges();
        }
        return identifies(exchange) ? wanted | PacketSink.HOLD : wanted;
    }

    @Override
    public boolean onShown(ByteBuf buf, int index, int length) {
        Exchange exchange = inFlight.head();
        if (exchange != null) {
            exchange.inspect(buf, index, length);
            PreparedEntry entry = exchange.prepared();
            if (entry != null && identifies(exchange) && exchange.ok()) {
                int id = model.prepared().identify(entry, exchange.preparedId());
                exchange.preparedAs(id);
                buf.setIntLE(index + ID_AT, id);
            }
        }
        return true;
    }

    /**
     * Returns the exchange to which a packet belongs. An error answers an unknown command; what else comes while
     * another command waits behind it answers that one: a server that knows the command may send no response to it.
     */
    private @Nullable Exchange due(int first) {
        Exchange exchange = inFlight.head();
        while (exchange != null
                && first != Marker.ERR
                && exchange.packets() == 0
                && exchange.follows(ResponseGrammars.UNKNOWN)
                && inFlight.size() > 1) {
            model.doubtResponses();
            finish(exchange);
            exchange = inFlight.head();
        }
        return exchange;
    }

    /** Returns whether the current packet has the id of a statement, which the client gets another one for. */
    private boolean identifies(Exchange exchange) {
        return exchange.code() == CommandCode.STMT_PREPARE
                && exchange.packets() == 1
                && model.prepared().moved();
    }

    @Override
    public void onEnd() {
        Exchange exchange = inFlight.head();
        if (exchange != null && exchange.over()) {
            finish(exchange);
        }
        Exchange head = inFlight.head();
        boolean goesOn = head != null && head.injected() == null && head.packets() > 0;
        nextSequence = goesOn ? sequence + 1 & 0xFF : 1;
    }

    /** Returns the number that a packet to the client would have now, between two packets of the server's. */
    public int nextSequence() {
        return nextSequence;
    }

    @Override
    public boolean takesRows() {
        Exchange exchange = inFlight.head();
        return exchange != null && exchange.takesRows() && exchange.injected() == null;
    }

    @Override
    public void onRows(int packets, int payload, int last) {
        Exchange exchange = inFlight.head();
        if (exchange != null) {
            exchange.rows(packets, payload);
        }
        nextSequence = last + 1 & 0xFF;
    }

    @Override
    public PacketSink instead(RuntimeException fault, boolean undecided) {
        return unfit.apply(fault, undecided);
    }

    @Override
    public void forward(ByteBuf bytes) {
        client.write(bytes);
    }

    /** Ends the response to an unknown command, which has begun, because a new command has arrived. */
    void superseded() {
        Exchange exchange = inFlight.head();
        if (exchange != null) {
            finish(exchange);
        }
    }

    /**
     * Returns the error of an injected statement, if the server has sent nothing since, else null. If the server now
     * closes, that error is the reason, and must be sent to the client.
     */
    public @Nullable ErrPacket unsaid() {
        return unsaid;
    }

    /**
     * Returns whether the client knows why the server closes: it has asked for it, or the server has sent an error
     * while no response was due.
     */
    public boolean closeExpected() {
        return saidWhy || lastCommand == CommandCode.QUIT;
    }

    /** Returns whether the client must still send the rest of a file, although the server has already responded. */
    boolean fileUnfinished() {
        return fileUnfinished;
    }

    void strayFilePacket(int length) {
        fileUnfinished = length > 0;
    }

    private void finish(Exchange exchange) {
        lastCommand = exchange.code();
        exchange.lastByte(model.nanos);
        fileUnfinished = exchange.fileUnfinished();
        if (fileUnfinished) {
            model.sending(true);
        }
        if (model.movable()) {
            followInsertId(exchange, model.settingsModel().followed());
        }
        if (exchange.affectedRows() > 0) {
            model.wrote(); // also if the first keyword did not show it: WITH … DELETE, SELECT 1; UPDATE …
        }
        exchange.begunInTransaction(model.inTransaction()); // it may have been sent ahead of the responses before it
        if (exchange.statusSeen()) {
            model.status(exchange.status());
        }
        model.statusInDoubt(mayHaveBegun(exchange));
        if (exchange.injected() == null) {
            settle(exchange);
            model.answered(exchange.number());
            observer.accept(exchange);
            if (responses) {
                listener.onResponse(exchange);
            }
        } else {
            ErrPacket error = exchange.error();
            unsaid = error == null ? unsaid : error;
            listener.onResponse(exchange);
        }
        inFlight.remove();
    }

    /**
     * The id in an OK packet is LAST_INSERT_ID() if it was generated, not if the statement gave it itself. What an
     * error leaves is undefined.
     */
    private static void followInsertId(Exchange exchange, FollowedState followed) {
        long id = exchange.insertId();
        boolean known = switch (exchange.insertIdChange) {
            case REPORTED -> id == 0 && (exchange.kind() != StatementKind.LOAD || !exchange.ok());
            case INSERTED -> {
                InsertedValues values = exchange.inserted;
                boolean generated = id != 0 && values != null && !values.mayGive(id);
                if (generated) {
                    followed.insertId(id);
                }
                boolean same = followed.insertIdKnown() && id == followed.insertId();
                boolean rows = exchange.packets() > 1; // RETURNING
                yield generated || !exchange.ok() || !rows && (id == 0 || same);
            }
            case ASSIGNED -> {
                if (id != 0) {
                    followed.insertId(id);
                }
                boolean zero = followed.insertIdKnown() && followed.insertId() == 0;
                yield id != 0 || zero || !exchange.ok();
            }
            case HIDDEN -> false;
        };
        if (!known) {
            followed.insertIdUnknown();
        }
    }

    /** An ERR packet has no status: a statement that failed midway may have left a transaction open. */
    private boolean mayHaveBegun(Exchange exchange) {
        if (exchange.ok() || !exchange.isStatement()) {
            return !exchange.statusSeen() && model.statusInDoubt();
        }
        return !model.autocommit() || exchange.statusSeen() || mayHaveRunPart(exchange);
    }

    /** Returns whether the statement may have run others before the one that failed. */
    private static boolean mayHaveRunPart(Exchange exchange) {
        StatementKind kind = exchange.kind();
        if (kind == StatementKind.SET) { // SET STATEMENT … FOR
            StatementSummary summary = exchange.summary();
            kind = summary == null ? StatementKind.UNKNOWN : summary.runs();
        }
        return exchange.several()
                || switch (kind) {
                    case BEGIN, CALL, EXECUTE, BLOCK, MULTI, UNKNOWN -> true; // BEGIN NOT ATOMIC
                    default -> false;
                };
    }

    private void settle(Exchange exchange) {
        PreparedEntry entry = exchange.prepared();
        switch (exchange.code()) {
            case CommandCode.STMT_PREPARE -> {
                if (entry != null && exchange.ok()) {
                    entry.preparedIn(model.schema());
                    entry.described(exchange.preparedColumns(), exchange.definitions());
                    model.prepared().prepared(entry, exchange.preparedId(), exchange.preparedParameters());
                } else if (entry != null) {
                    model.prepared().refused(entry);
                }
            }
            case CommandCode.STMT_EXECUTE, CommandCode.STMT_BULK_EXECUTE -> {
                if (entry != null) {
                    model.prepared().setCursor(entry, exchange.cursorOpen());
                    if (exchange.ok()) {
                        model.prepared().typesSeen(entry);
                    }
                }
            }
            case CommandCode.STMT_FETCH -> {
                if (entry != null && (!exchange.ok() || (exchange.status() & ServerStatus.LAST_ROW_SENT) != 0)) {
                    model.prepared().setCursor(entry, false);
                }
            }
            case CommandCode.STMT_RESET -> {
                if (entry != null) {
                    model.prepared().setCursor(entry, false);
                }
            }
            default -> {
                // Other effects are set in the exchange.
            }
        }
        LockChange change = exchange.locks;
        if (change != null) {
            locks(exchange, change);
        }
        Runnable effect = exchange.effect;
        if (!exchange.ok()) {
            if (exchange.code() == CommandCode.CHANGE_USER) {
                model.changeUserRefused();
                listener.onReset();
            } else if (effect != null && mayHaveRunPart(exchange) && exchange.errorCode() != ER_UNKNOWN_STMT_HANDLER) {
                model.settingsModel().lost();
            }
            return;
        }
        boolean reset = exchange.code() == CommandCode.RESET_CONNECTION || exchange.code() == CommandCode.CHANGE_USER;
        if (reset || effect != null) {
            model.settingsModel().during(exchange.receivedNanos(), exchange.lastByteNanos());
        }
        if (reset) {
            model.reset();
        }
        if (effect != null) {
            effect.run();
        }
        if (reset) {
            listener.onReset();
        }
    }

    private void locks(Exchange exchange, LockChange change) {
        ServerLocks held = model.settingsModel().locks();
        if (exchange.ok()) {
            held.apply(change, model.nanos);
        } else {
            held.applyFailed(change, exchange.several(), exchange.errorCode(), model.nanos);
        }
    }
}
