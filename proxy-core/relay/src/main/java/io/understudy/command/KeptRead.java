package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.List;

/**
 * A copy of the client's last short read outside of a transaction. If the server is lost before it has responded, the
 * read can be sent to another one. Must be used on the session's event loop.
 */
final class KeptRead {
    /** The longest payload that is kept, in bytes. */
    static final int LIMIT = 4096;

    private static final long NONE = -1;

    private byte[] bytes = {};
    private int length;
    private long number = NONE;
    private List<TableName> reads = List.of();

    /** Keeps a command that is being sent, if it may be a read. */
    void keep(Exchange exchange, ByteBuf buf, int index, int payload) {
        if (payload > LIMIT || !exchange.complete() || exchange.cursorRequested() || !mayRead(exchange)) {
            return;
        }
        if (bytes.length < payload) {
            bytes = new byte[Math.min(LIMIT, Integer.highestOneBit(payload) * 2)];
        }
        buf.getBytes(index, bytes, 0, payload);
        length = payload;
        number = exchange.number();
    }

    private static boolean mayRead(Exchange exchange) {
        return switch (exchange.code()) {
            case CommandCode.QUERY, CommandCode.STMT_EXECUTE ->
                switch (exchange.kind()) {
                    case SELECT, VALUES, TABLE -> true;
                    default -> false;
                };
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
                && !model.inTransaction()
                && model.autocommit()
                && changesNothing(model, head);
    }

    private boolean changesNothing(SessionModel model, Exchange head) {
        StatementSummary summary;
        if (head.code() == CommandCode.QUERY) {
            int text = QueryAttributes.textOffset(payload(), 0, length, model.capabilities());
            summary = model.analyzer()
                    .summarize(bytes, text, length - text, model.settings().sqlModes());
        } else {
            PreparedEntry entry = head.prepared();
            summary = entry == null || entry.longDataPending() ? null : entry.summary();
        }
        reads = summary == null ? List.of() : summary.reads();
        return summary != null && summary.pureRead() && !summary.readsDiagnostics();
    }

    /**
     * Returns the tables of the read that {@link #isAlone}, among them views, whose functions its text does not show.
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
