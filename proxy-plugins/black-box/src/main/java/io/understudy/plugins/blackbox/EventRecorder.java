package io.understudy.plugins.blackbox;

import io.netty.buffer.ByteBuf;
import io.understudy.plugins.binlog.BinlogTransaction;
import java.io.UncheckedIOException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the events of one transaction after the other in the ring of the present history, and decides which
 * transactions are retained. Guarded by the lock of its {@link BlackBox}.
 */
final class EventRecorder {
    private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);
    private static final byte[] NO_FORMAT = {};

    private final Histories histories;
    private final long limit;
    private final RareWarning noRoom;
    private final RareWarning notKept;

    /** The present format description event. */
    private byte[] format = NO_FORMAT;
    /** The reason why the transaction in transit is not retained. */
    private Obstacle obstacle = Obstacle.NONE;

    private enum Obstacle {
        NONE(""),
        /** The stream has not described the format of its events yet. */
        NO_FORMAT("the primary has not described the format of its events on this connection"),
        /** The storage is full, which has been logged. */
        NO_ROOM(""),
        HALF("it is larger than half of plugins.black-box.memory; raise that if such transactions matter"),
        HUGE_EVENT("one of its events has 16 MiB or more, and such are not kept, whatever plugins.black-box.memory is");

        private final String text;

        Obstacle(String text) {
            this.text = text;
        }
    }

    /**
     * @param limit bytes; a transaction of more than half of it is not retained
     * @param nanoClock monotonic, limits how often warnings are logged
     */
    EventRecorder(Histories histories, long limit, LongSupplier nanoClock) {
        this.histories = histories;
        this.limit = limit;
        noRoom = new RareWarning(nanoClock);
        notKept = new RareWarning(nanoClock);
    }

    /** Called when a stream begins, before it has described its format. */
    void begin() {
        format = NO_FORMAT;
    }

    void format(byte[] event) {
        format = event;
    }

    /**
     * Records one event.
     *
     * @param first whether a transaction begins with it
     * @param whole whether {@code length} bytes are all of it
     */
    void event(History present, ByteBuf buf, int index, int length, boolean first, boolean whole) {
        if (first) {
            present.open();
            obstacle = format == NO_FORMAT ? Obstacle.NO_FORMAT : Obstacle.NONE;
        }
        if (!present.isOpen() || obstacle != Obstacle.NONE) {
            return;
        }
        if (!whole || present.openBytes() + length > limit / 2) {
            obstacle = whole ? Obstacle.HALF : Obstacle.HUGE_EVENT;
            present.truncateOpen();
        } else {
            append(present, buf, index, length);
        }
    }

    /** Drops the oldest transactions if the storage cannot grow, as if it were the limit. */
    private void append(History present, ByteBuf buf, int index, int length) {
        long from = present.ring.end();
        while (true) {
            try {
                present.ring.append(buf, index, length);
                return;
            } catch (UncheckedIOException e) {
                present.ring.truncate(from);
                warnOfNoRoom(e);
                if (present.openBytes() + length > histories.ringBytes() / 2 || !histories.dropOldest()) {
                    obstacle = Obstacle.NO_ROOM;
                    present.truncateOpen();
                    present.clearIfEmpty();
                    return;
                }
            }
        }
    }

    private void warnOfNoRoom(UncheckedIOException e) {
        if (noRoom.due()) {
            log.warn(
                    "{}; the oldest transactions are dropped for new ones, and reports will show them as a gap. Make"
                            + " room there (logged at most once a minute)",
                    e.getMessage());
        }
    }

    /** Ends the transaction in transit. Returns whether it is retained. */
    boolean end(History present, BinlogTransaction transaction) {
        boolean begun = present.isOpen();
        Gtid gtid = Gtid.of(present.flavor(), transaction);
        if (gtid != null) {
            present.passed(gtid);
        }
        if (gtid != null && begun && obstacle == Obstacle.NONE) {
            present.keep(gtid, transaction, format);
            return true;
        }
        present.voidOpen();
        if (gtid != null) {
            present.missed(gtid);
            if (begun) {
                warnOfNotKept(gtid, transaction);
            }
        }
        return false;
    }

    private void warnOfNotKept(Gtid gtid, BinlogTransaction transaction) {
        if (!obstacle.text.isEmpty() && notKept.due()) {
            log.warn(
                    "black-box: transaction {} of {} bytes is not kept: {}. Reports will show it as a gap (logged at"
                            + " most once a minute)",
                    gtid.text(),
                    transaction.bytes(),
                    obstacle.text);
        }
    }
}
