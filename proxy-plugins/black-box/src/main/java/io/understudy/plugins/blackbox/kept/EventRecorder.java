package io.understudy.plugins.blackbox.kept;

import io.netty.buffer.ByteBuf;
import io.understudy.base.RepeatedWarning;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers the events of one transaction after the other, and decides which transactions are retained. Guarded by the
 * lock of its {@link BlackBox}.
 */
public final class EventRecorder {
    private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);
    private static final byte[] NO_FORMAT = {};
    /** A file of the log, with 32 MiB in front of the transaction, is read into one array. */
    private static final long LARGEST = Integer.MAX_VALUE - (64L << 20);

    private final long limit;
    private final LongPredicate room;
    private final RepeatedWarning warnings;

    /** The present format description event. */
    private byte[] format = NO_FORMAT;
    /** Whether a transaction is in transit. */
    private boolean open;
    /** The events of the transaction in transit. */
    private List<byte[]> events = new ArrayList<>();

    private long bytes;
    /** The reason why the transaction in transit is not retained. */
    private Obstacle obstacle = Obstacle.NONE;

    private enum Obstacle {
        NONE(""),
        NO_FORMAT("the primary has not described the format of its events on this connection"),
        NO_ROOM("there is no room for it"),
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
     * @param room called before an event is copied: whether there is room for so many bytes in transit, with it
     */
    EventRecorder(long limit, LongSupplier nanoClock, LongPredicate room) {
        this.limit = limit;
        this.room = room;
        warnings = new RepeatedWarning(nanoClock);
    }

    /** Called when a stream begins, before it has described its format. */
    void begin() {
        discard();
        format = NO_FORMAT;
    }

    void format(byte[] event) {
        format = event;
    }

    /** Drops the transaction in transit if there is one. */
    void discard() {
        open = false;
        clear();
    }

    private void clear() {
        events = new ArrayList<>();
        bytes = 0;
    }

    /**
     * Records one event.
     *
     * @param first whether a transaction begins with it
     * @param whole whether {@code length} bytes are all of it
     */
    void event(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        if (first) {
            clear();
            open = true;
            obstacle = format == NO_FORMAT ? Obstacle.NO_FORMAT : Obstacle.NONE;
        }
        if (!open || obstacle != Obstacle.NONE) {
            return;
        }
        bytes += length + KeptTransaction.EVENT_OVERHEAD;
        if (!whole || bytes > Math.min(limit / 2, LARGEST)) {
            obstacle = whole ? Obstacle.HALF : Obstacle.HUGE_EVENT;
            clear();
            return;
        }
        if (!room.test(bytes)) {
            obstacle = Obstacle.NO_ROOM;
            clear();
            return;
        }
        byte[] event = new byte[length];
        buf.getBytes(index, event);
        events.add(event);
    }

    /** What became of a transaction. */
    public enum Outcome {
        KEPT,
        /** It is not kept, now or later. */
        PASSED_OVER,
        /** It is not kept for want of room. It does not count as having arrived. */
        NO_ROOM,
        /** It has no GTID. */
        ANONYMOUS
    }

    /**
     * A transaction that has ended.
     *
     * @param kept null if it is not kept
     */
    public record Taken(Outcome outcome, @Nullable KeptTransaction kept) {}

    /**
     * Ends the transaction in transit.
     *
     * @param token what its client has named it; or null
     * @param queue told of what becomes of it; or null
     */
    Taken end(History present, BinlogTransaction transaction, @Nullable String token, @Nullable LogQueue queue) {
        boolean begun = open;
        List<byte[]> whole = events;
        discard();
        Gtid gtid = Gtid.of(present.flavor(), transaction);
        if (gtid == null) {
            return new Taken(Outcome.ANONYMOUS, null);
        }
        if (begun && obstacle == Obstacle.NO_ROOM) {
            return new Taken(Outcome.NO_ROOM, null);
        }
        present.passed(gtid);
        if (begun && obstacle == Obstacle.NONE) {
            KeptTransaction kept = new KeptTransaction(present, gtid, transaction, whole, format, token);
            present.keep(kept);
            if (queue != null) {
                queue.kept(kept);
            }
            return new Taken(Outcome.KEPT, kept);
        }
        present.missed(gtid);
        if (queue != null) {
            queue.missed(gtid);
        }
        if (begun) {
            warnOfNotKept(gtid, transaction);
        }
        return new Taken(Outcome.PASSED_OVER, null);
    }

    private void warnOfNotKept(Gtid gtid, BinlogTransaction transaction) {
        long more = warnings.mayLog(obstacle.name());
        if (more >= 0) {
            log.warn(
                    "black-box: transaction {} of {} bytes is not kept: {}. Reports will show it as a gap ({} more like"
                            + " it since the last such line)",
                    gtid.text(),
                    transaction.bytes(),
                    obstacle.text,
                    more);
        }
    }
}
