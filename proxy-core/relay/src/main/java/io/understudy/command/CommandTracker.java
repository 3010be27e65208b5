package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.command.prepared.PreparedStatements;
import io.understudy.command.response.ResponseGrammar;
import io.understudy.command.response.ResponseGrammars;
import io.understudy.plugin.Interest;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementKind;
import io.understudy.sql.TableName;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.PacketSink;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.SessionState;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Recognises commands on their way to the server: the client side of the tracker. Asks the scanner for no more of a
 * command's bytes than an observer uses.
 */
public final class CommandTracker implements PacketSink {
    /** Enough payload to contain the first keyword of nearly every statement. */
    private static final int KIND_PREFIX = 64;
    /** Enough payload of a SET statement to see whether it concerns session tracking. */
    private static final int SET_PREFIX = 1024;

    private static final int EXECUTE_PREFIX = 10;
    /** An execution that is longer is not collected only to be kept. */
    private static final int KEPT_EXECUTION = 1024;

    private static final int ID_PREFIX = 5;
    private static final int NAME_LIMIT = 1024;

    private final SessionModel model;
    private final InFlight inFlight;
    private final CommandListener listener;
    private final @Nullable StatementGate gate;
    private final CommandEffects effects;
    private final ResponseTracker responses;
    private final Leg server;
    private final BiFunction<RuntimeException, Boolean, PacketSink> unfit;
    private final boolean statements;
    private final boolean commands;
    private final boolean movable;
    private final PreparedStatements prepared;
    private final @Nullable ThreadIds threadIds;
    /** Payload bytes of a statement that are requested when no observer needs all of them. */
    private final int statementPrefix;

    private final SessionState.@Nullable Visitor stateVisitor;

    /** For commands without a response. */
    private final Exchange silent;

    private final KeptCommand kept = new KeptCommand();

    private @Nullable Exchange current;
    /** The exchange to which the client's last packet belongs. */
    private Exchange sending;

    private boolean offered;
    private boolean replaced;
    /** The packet at hand may be a KILL of a session that has another number now. */
    private boolean mayKill;

    /**
     * @param gate null if nothing is injected
     * @param server what commands are forwarded to
     * @param unfit asked when a packet does not fit the protocol, see {@link PacketSink#instead}
     */
    public CommandTracker(
            SessionModel model,
            CommandListener listener,
            @Nullable StatementGate gate,
            ResponseTracker responses,
            Leg server,
            BiFunction<RuntimeException, Boolean, PacketSink> unfit) {
        this.model = model;
        this.inFlight = model.inFlight();
        this.listener = listener;
        this.gate = gate;
        this.responses = responses;
        this.server = server;
        this.unfit = unfit;
        int interests = listener.interests();
        statements = (interests & (Interest.STATEMENTS | Interest.BOUNDARY)) != 0;
        commands = (interests & Interest.COMMANDS) != 0;
        movable = model.movable();
        prepared = model.prepared();
        threadIds = model.threadIds;
        statementPrefix = model.tracking().isOn() ? SET_PREFIX : KIND_PREFIX;
        stateVisitor = model.stateVisitor(interests);
        effects = new CommandEffects(model, statements);
        silent = new Exchange(model.statement, model.commitDomain);
        sending = silent;
    }

    @Override
    public int onPacket(int length, int sequence, int first) {
        current = null;
        Exchange head = inFlight.head();
        if (head != null && head.wantsClientData(sequence)) {
            head.clientPacket(length);
            head.clientSent(sequence);
            sending = head;
            return 0;
        }
        if (responses.fileUnfinished()) {
            responses.strayFilePacket(length);
            return 0;
        }
        if (sequence != 0) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.COMMAND_NUMBER,
                    "a command with sequence number " + sequence + " instead of 0");
        }
        if (head != null && head.follows(ResponseGrammars.UNKNOWN) && head.packets() > 0) {
            responses.superseded();
        }
        if (inFlight.isFull()) {
            return PacketSink.LATER;
        }
        model.sending(true);
        int code = Math.max(first, CommandCode.SLEEP);
        boolean mayInject = gate != null && gate.open(code);
        Exchange exchange = begin(code, length);
        sending = exchange;
        mayKill = mayKill(code, length);
        int wanted = mayKill ? length : wanted(code, length, mayInject);
        if (wanted == 0) {
            effects.recognise(exchange, null, 0, 0);
            announce(exchange);
            return 0;
        }
        current = exchange;
        offered = mayInject;
        return mayInject || mayKill || renumbers(code) ? wanted | PacketSink.HOLD : wanted;
    }

    private Exchange begin(int code, int length) {
        ResponseGrammar response = ResponseGrammars.to(code);
        Exchange exchange = response == null ? silent : inFlight.add();
        if (response == null) {
            silent.clear();
        }
        exchange.begin(code, model.nextNumber(), length, model.nanos, model.inTransaction(), model.wroteInTransaction);
        long capabilities = movable || code != CommandCode.STMT_PREPARE
                ? model.capabilities()
                : model.capabilities() & ~Capabilities.MARIADB_CACHE_METADATA; // the definitions are not compared
        exchange.expect(response == null ? ResponseGrammars.UNKNOWN : response, capabilities, stateVisitor);
        return exchange;
    }

    private boolean mayKill(int code, int length) {
        return threadIds != null
                && threadIds.any()
                && switch (code) {
                    case CommandCode.QUERY, CommandCode.PROCESS_KILL -> length <= KillCommand.LIMIT;
                    default -> false;
                };
    }

    /** Returns whether the command begins with the id of a statement that the server knows by another one. */
    private boolean renumbers(int code) {
        return switch (code) {
            case CommandCode.STMT_EXECUTE,
                    CommandCode.STMT_BULK_EXECUTE,
                    CommandCode.STMT_SEND_LONG_DATA,
                    CommandCode.STMT_CLOSE,
                    CommandCode.STMT_RESET,
                    CommandCode.STMT_FETCH -> prepared.moved();
            default -> false;
        };
    }

    private int wanted(int code, int length, boolean mayInject) {
        boolean everything = statements || mayInject;
        int whole = Math.min(length, model.statementLimit);
        return switch (code) {
            case CommandCode.QUERY, CommandCode.STMT_PREPARE ->
                everything || movable ? whole : Math.min(length, statementPrefix);
            case CommandCode.STMT_EXECUTE, CommandCode.STMT_BULK_EXECUTE ->
                everything
                        ? whole
                        : Math.min(
                                length,
                                movable ? Math.max(prepared.executionPrefix(), KEPT_EXECUTION) : EXECUTE_PREFIX);
            case CommandCode.INIT_DB, CommandCode.CHANGE_USER, CommandCode.SET_OPTION -> Math.min(length, NAME_LIMIT);
            case CommandCode.STMT_SEND_LONG_DATA ->
                statements && length <= model.statementLimit ? length : Math.min(length, ID_PREFIX);
            case CommandCode.STMT_CLOSE, CommandCode.STMT_RESET, CommandCode.STMT_FETCH -> Math.min(length, ID_PREFIX);
            case CommandCode.PING -> movable || mayInject ? 1 : 0;
            default -> mayInject ? 1 : 0;
        };
    }

    @Override
    public void onContinued(int sequence) {
        sending.clientSent(sequence);
    }

    @Override
    public boolean onShown(ByteBuf buf, int index, int length) {
        Exchange exchange = current;
        if (exchange == null || exchange.over()) { // an error may come before the end of a long command
            return true;
        }
        StatementBytes statement = model.statement;
        exchange.setComplete(length == exchange.payloadLength() && length < Packets.MAX_PAYLOAD);
        boolean renumbered = length >= ID_PREFIX && renumbers(exchange.code());
        int serverId = renumbered ? prepared.serverId(buf.getIntLE(index + 1)) : 0; // which a COM_STMT_CLOSE ends
        statement.open(buf, index, length);
        try {
            effects.recognise(exchange, buf, index, length);
            if (movable && !model.inTransaction()) {
                kept.keep(exchange, buf, index, length);
            }
            if (offered && gate != null) { // offered only if there is one
                gate.beforeStatement(exchange);
            }
            announce(exchange);
        } finally {
            statement.close();
        }
        if (mayKill && (exchange.kind() == StatementKind.KILL || exchange.code() == CommandCode.PROCESS_KILL)) {
            ByteBuf other = KillCommand.renumbered(buf, index, length, model, server.alloc());
            if (other != null) {
                server.write(other);
                return false;
            }
        }
        if (renumbered) {
            buf.setIntLE(index + 1, serverId);
            replaced = prepared.anyTypesDue() && givenTypes(exchange, buf, index, length);
        }
        return true;
    }

    /** Forwards the execution's beginning with its types, if the server has not seen them. Returns whether it did. */
    private boolean givenTypes(Exchange exchange, ByteBuf buf, int index, int length) {
        PreparedEntry entry = exchange.isStatement() ? exchange.prepared() : null;
        if (entry == null || !entry.lacksTypes(buf, index, length, model.capabilities())) {
            return false;
        }
        ByteBuf out = server.alloc().buffer(Packets.HEADER + prepared.executionPrefix() + length);
        out.writeZero(Packets.HEADER);
        int added = entry.copyWithTypes(out, buf, index, length, model.capabilities());
        int payload = exchange.payloadLength() + added;
        if (added < 0 || payload >= Packets.MAX_PAYLOAD) {
            out.release();
            throw new MalformedPacketException("the session was moved to another server, which does not know the"
                    + " parameter types of this execution, and they cannot be put in: prepare the statement anew");
        }
        out.setMediumLE(out.readerIndex(), payload);
        server.write(out);
        return true;
    }

    /** Returns whether the server can be lost now as if the client's command had not been sent: see {@link #resend}. */
    public boolean resendable() {
        return movable && model.keepsNothing() && kept.isAlone(model);
    }

    /** Returns the tables and views that the command reads that {@link #resend} sends. */
    public List<TableName> readAgain() {
        return kept.reads();
    }

    /** Sends the command in flight again, because another server has taken the place of the one that had it. */
    public void resend() {
        Exchange exchange = inFlight.head();
        if (exchange == null) {
            return;
        }
        kept.forget();
        ByteBuf payload = kept.payload();
        int length = kept.length();
        if (renumbers(exchange.code())) {
            payload.setIntLE(1, prepared.serverId(payload.getIntLE(1)));
            if (prepared.anyTypesDue() && givenTypes(exchange, payload, 0, length)) {
                return;
            }
        }
        ByteBuf out = server.alloc().buffer(Packets.HEADER + length);
        int at = Packets.begin(out, 0);
        out.writeBytes(payload, 0, length);
        Packets.end(out, at);
        server.write(out);
    }

    @Override
    public boolean replacesShown() {
        boolean did = replaced;
        replaced = false;
        return did;
    }

    @Override
    public void onEnd() {
        model.sending(responses.fileUnfinished());
    }

    @Override
    public PacketSink instead(RuntimeException fault, boolean undecided) {
        return unfit.apply(fault, undecided);
    }

    @Override
    public void forward(ByteBuf bytes) {
        server.write(bytes);
    }

    private void announce(Exchange exchange) {
        if (commands) {
            listener.onCommand(exchange);
        }
        effects.sent(exchange);
    }
}
