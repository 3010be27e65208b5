package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.Outcome;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.OkPacket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement in flight, when its server is lost, that may have committed or was part of a transaction; and what the
 * client is told in place of its response. Must be used on the session's event loop.
 *
 * @param within whether it is of an open transaction, as far as the last response tells: it was perhaps sent ahead of
 *     that
 * @param alone whether no other command is in flight: once it is answered, the session is as with any response
 * @param othersMay whether another command in flight may have committed, too
 */
public record LostStatement(SessionModel model, Exchange exchange, boolean within, boolean alone, boolean othersMay) {
    private static final int ER_LOCK_DEADLOCK = 1213;
    private static final int ER_UNKNOWN = 1105;
    /** "Transaction resolution unknown" of the SQL standard's class 08. */
    private static final String RESOLUTION_UNKNOWN = "08007";

    private static final List<String> COMMIT = List.of("COMMIT", "COMMIT WORK");
    private static final List<String> ROLLBACK = List.of("ROLLBACK", "ROLLBACK WORK");

    /** Returns the first such statement in flight, or null. */
    public static @Nullable LostStatement of(SessionModel model) {
        Exchange first = null;
        int commands = 0;
        int mayCommit = 0;
        for (Exchange each : model.inFlight().all()) {
            // Outside of a transaction a COMMIT commits nothing, unless what is ahead of it has begun one.
            boolean may = mayCommit(each, model.inTransaction() || model.statusInDoubt())
                    || first != null && each.kind() == StatementKind.COMMIT;
            first = first == null && may ? each : first;
            mayCommit += may ? 1 : 0;
            commands += each.injected() == null ? 1 : 0;
        }
        if (first == null) {
            return null;
        }
        boolean within = model.statusInDoubt() ? first.inTransactionBefore() : model.inTransaction();
        return new LostStatement(model, first, within, commands == 1, mayCommit > 1);
    }

    /** @param inTransaction after the last response, maybe: what was sent ahead of it may not have known */
    private static boolean mayCommit(Exchange each, boolean inTransaction) {
        if (each.injected() != null || !each.isStatement()) {
            return each.code() == CommandCode.CREATE_DB || each.code() == CommandCode.DROP_DB;
        }
        StatementKind kind = each.kind();
        if (inTransaction || each.inTransactionBefore() || each.several() || kind.writes()) {
            return true;
        }
        StatementSummary summary = each.summary();
        boolean writes = summary != null
                && (summary.runs().writes()
                        || !summary.writes().isEmpty()
                        || !summary.functions().isEmpty());
        return writes
                || switch (kind) {
                    case XA_PREPARE, XA_COMMIT, XA_ROLLBACK -> true;
                    case SET -> summary == null; // SET STATEMENT … FOR
                    default -> false;
                };
    }

    /** Returns whether the client reads a response now: it is not sending a file. */
    public boolean answerable() {
        Exchange head = model.inFlight().head();
        return head != null && (head.kind() != StatementKind.LOAD || head.packets() == 0);
    }

    /** Returns what the client can be told of that outcome. */
    public Outcome told(Outcome outcome) {
        return othersMay && outcome instanceof Outcome.NotCommitted
                ? new Outcome.Unknown("several statements were in flight; the first of them was not committed")
                : outcome;
    }

    /**
     * Takes the place of the response to the oldest command: makes it due from its beginning.
     *
     * @param begun whether the client has packets of it
     * @param sequence number of the next packet to the client
     * @return the packet that ends it
     */
    public ByteBuf respond(Outcome outcome, boolean begun, int sequence, ByteBufAllocator alloc) {
        Exchange head = model.inFlight().head();
        if (head == null) {
            throw new IllegalStateException("no response is due");
        }
        head.restart(sequence);
        if (outcome instanceof Outcome.Committed committed && head == exchange) {
            exchange.setGtid(committed.gtid(), model.nanos);
        }
        if (begun || !alone || !isExact(outcome)) {
            return error(outcome).encode(alloc, sequence, true);
        }
        int status = model.status() & (ServerStatus.AUTOCOMMIT | ServerStatus.NO_BACKSLASH_ESCAPES);
        return OkPacket.encode(alloc, sequence, 0, 0, status);
    }

    /** Returns whether the server's OK_Packet is known but for warnings and texts for people. */
    private boolean isExact(Outcome outcome) {
        if (outcome instanceof Outcome.NotCommitted) {
            return is(ROLLBACK);
        }
        return outcome instanceof Outcome.Committed
                && (is(COMMIT) || exchange.kind() == StatementKind.XA_COMMIT && !several());
    }

    private boolean endsTransaction() {
        return switch (exchange.kind()) {
            case COMMIT, ROLLBACK, XA_COMMIT -> true;
            default -> false;
        };
    }

    private boolean several() {
        StatementSummary summary = exchange.summary();
        return summary == null ? exchange.several() : summary.kind() == StatementKind.MULTI;
    }

    /** Returns whether the statement is one of these texts, but for blanks and comments; false if it is not known. */
    private boolean is(List<String> texts) {
        StatementSummary summary = exchange.summary();
        return summary != null && texts.stream().anyMatch(text -> digest(text) == summary.digest());
    }

    private long digest(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return model.analyzer.digest(bytes, 0, bytes.length, model.settings().sqlModes());
    }

    private ErrPacket error(Outcome outcome) {
        boolean prepared = exchange.kind() == StatementKind.XA_PREPARE || exchange.kind() == StatementKind.XA_ROLLBACK;
        String what = "the " + (!prepared && (within || endsTransaction()) ? "transaction" : "statement");
        String done = prepared ? "executed" : "committed";
        if (outcome instanceof Outcome.Committed committed) {
            String lost = exchange.kind().isDml() ? "affected rows" : "its response is";
            return new ErrPacket(
                    ER_UNKNOWN,
                    RESOLUTION_UNKNOWN,
                    "Understudy: " + what + " was " + done + " as " + committed.gtid() + "; " + lost
                            + " unknown; do not repeat it");
        }
        if (outcome instanceof Outcome.Unknown unknown) {
            return new ErrPacket(
                    ER_UNKNOWN,
                    RESOLUTION_UNKNOWN,
                    "Understudy: it is not known whether " + what + " was " + done + ": " + unknown.reason()
                            + "; ask: understudy report outcomes -c FILE --connection " + model.serverThreadId());
        }
        String not = "Understudy: " + what + " was not " + done + ": the server was lost before; ";
        return prepared || exchange.kind() == StatementKind.XA_COMMIT
                // One that was prepared before is still there; any other was rolled back.
                ? new ErrPacket(ER_UNKNOWN, RESOLUTION_UNKNOWN, not + "XA RECOVER shows whether it is prepared")
                : new ErrPacket(ER_LOCK_DEADLOCK, "40001", not + "it can be repeated");
    }
}
