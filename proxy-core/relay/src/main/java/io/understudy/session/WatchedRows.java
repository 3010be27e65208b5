package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.command.Exchange;
import io.understudy.command.InFlight;
import io.understudy.plugin.RowWatcher;
import io.understudy.wire.PacketSink;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows rows to the watchers that observers have set on their commands. In the path of those sessions only that have an
 * observer with {@link io.understudy.plugin.Interest#ROWS}.
 */
final class WatchedRows extends SinkBefore {
    private final InFlight inFlight;
    private final BiConsumer<Exchange, Throwable> fault;
    /** The watcher of the current packet if it is a row, else null. */
    private @Nullable RowWatcher watcher;

    private int row;

    /** @param fault called with the response whose watcher has thrown */
    WatchedRows(PacketSink next, InFlight inFlight, BiConsumer<Exchange, Throwable> fault) {
        super(next);
        this.inFlight = inFlight;
        this.fault = fault;
    }

    @Override
    public int onPacket(int length, int sequence, int first) {
        watcher = null;
        Exchange exchange = inFlight.head();
        RowWatcher watching = exchange == null ? null : exchange.rowWatcher();
        if (exchange == null || watching == null) {
            return next.onPacket(length, sequence, first);
        }
        long before = exchange.rows();
        int wanted = next.onPacket(length, sequence, first);
        if (wanted != 0 || exchange.rows() == before) {
            return wanted;
        }
        watcher = watching;
        row = length;
        try {
            return Math.min(Math.max(0, watching.rowBytes()), length);
        } catch (Throwable thrown) {
            failed(thrown);
            return 0;
        }
    }

    private void failed(Throwable thrown) {
        watcher = null;
        Exchange exchange = inFlight.head();
        if (exchange != null) {
            fault.accept(exchange, thrown);
        }
    }

    @Override
    public boolean onShown(ByteBuf buf, int index, int length) {
        if (watcher == null) {
            return next.onShown(buf, index, length);
        }
        Exchange exchange = inFlight.head();
        if (exchange == null || exchange.rowWatcher() != watcher) {
            return true; // the watch has ended since the row began
        }
        try {
            watcher.onRow(buf, index, length, row);
        } catch (Throwable thrown) {
            failed(thrown);
        }
        return true;
    }

    @Override
    public boolean takesRows() {
        Exchange exchange = inFlight.head();
        return (exchange == null || exchange.rowWatcher() == null) && next.takesRows();
    }
}
