package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.SetStatement;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the client's last short command outside of a transaction, if it can be a read or prepares one's work: a
 * begin, a setting, a statement to prepare. If the server is lost before it has responded, the command can be sent to
 * another one. Must be used on the session's event loop.
 */
final class KeptCommand {
    /** The longest payload that is kept, in bytes. */
    static final int LIMIT = 4096;

    private static final long NONE = -1;

    private byte[] bytes = {};
    private int length;
    private long number = NONE;
    private List<TableName> reads = List.of();

    /** Keeps a command that is being sent, if it may be sent twice. */
    void keep(Exchange exchange, ByteBuf buf, int index, int payload) {
        if (payload > LIMIT || !exchange.complete() || exchange.cursorRequested() || !mayRepeat(exchange)) {
            return;
        }
        PreparedEntry entry = exchange.prepared();
        if (entry != null && entry.longDataPending()) {
            return; // which the server alone has
        }
        if (bytes.length < payload) {
            bytes = new byte[Math.min(LIMIT, Integer.highestOneBit(payload) * 2)];
        }
        buf.getBytes(index, bytes, 0, payload);
        length = payload;
        number = exchange.number();
    }

    private static boolean mayRepeat(Exchange exchange) {
        return switch (exchange.code()) {
            case CommandCode.QUERY, CommandCode.STMT_EXECUTE ->
                switch (exchange.kind()) {
                    case SELECT, VALUES, TABLE, BEGIN, COMMIT, ROLLBACK, SET, USE -> true;
                    default -> false;
                };
            case CommandCode.PING, CommandCode.INIT_DB, CommandCode.STMT_PREPARE -> true;
            default -> false;
        };
    }

    /** Returns whether it is the only command in flight, has no response yet, and is known to change nothing. */
    boolean isAlone(SessionModel model) {
        Exchange head = model.inFlight().head();
        return head != null
                && model.inFlight().size() == 1
                && head.number() == number
                && head.packets() == 0
                && head.injected() == null
                && changesNothing(model, head);
    }

    private boolean changesNothing(SessionModel model, Exchange head) {
        reads = List.of();
        if (head.code() == CommandCode.STMT_EXECUTE) {
            PreparedEntry entry = head.prepared();
            return entry != null && isRead(model, entry.summary());
        }
        if (head.code() != CommandCode.QUERY) {
            return true;
        }
        int at = StatementBytes.textOffset(payload(), 0, length, model.capabilities());
        int modes = model.settings().sqlModes();
        StatementSummary summary = model.analyzer.summarize(bytes, at, length - at, modes);
        return switch (summary.kind()) {
            case USE -> true;
            // There is no transaction that it ends; without autocommit an ERR_Packet does not say so.
            case BEGIN, COMMIT, ROLLBACK -> model.autocommit();
            case SET -> model.autocommit() && setsValues(SetStatement.parse(bytes, at, length - at, modes));
            default -> isRead(model, summary);
        };
    }

    private boolean isRead(SessionModel model, @Nullable StatementSummary summary) {
        reads = summary == null ? List.of() : summary.reads();
        return summary != null && model.autocommit() && summary.pureRead() && !summary.readsDiagnostics();
    }

    /** Returns whether it sets values of the session that do not depend on what it had before. */
    private static boolean setsValues(@Nullable SetStatement set) {
        return set != null
                && set.assignments().stream()
                        .allMatch(each -> (each.literalValue() != null || each.isDefault())
                                && switch (each.scope()) {
                                    case SESSION, USER, TRANSACTION -> true;
                                    default -> false;
                                });
    }

    /**
     * Returns the tables of the command that {@link #isAlone}, among them views, whose functions its text does not
     * show.
     */
    List<TableName> reads() {
        return reads;
    }

    /** Returns the payload, which is the caller's until the next command. */
    ByteBuf payload() {
        return Unpooled.wrappedBuffer(bytes, 0, length);
    }

    int length() {
        return length;
    }

    /** Called when it has been sent again: a read that ends servers shall not go from one to the next. */
    void forget() {
        number = NONE;
    }
}
