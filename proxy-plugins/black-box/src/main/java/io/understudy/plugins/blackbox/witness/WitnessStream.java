package io.understudy.plugins.blackbox.witness;

import io.netty.buffer.ByteBuf;
import io.understudy.plugins.binlog.BinlogEnd;
import io.understudy.plugins.binlog.BinlogEvents;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.SemiSyncReplica.Acknowledgements;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.plugins.blackbox.kept.EventRecorder;
import io.understudy.plugins.blackbox.kept.Keeping;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What arrives from the primary: passes it to the black box, and what that has taken to where it is kept and
 * acknowledged. Called on the connection's event loop, which no other connection uses, unless it is said otherwise.
 */
final class WitnessStream implements BinlogEvents {
    private final BlackBox box;
    private final Keeping keeping;

    /** Acknowledgements, while the primary counts on them. Written under the lock of the phases. */
    private volatile @Nullable Acknowledgements to;
    /** Whether the rest is void. Written on any thread, and reset on the event loop. */
    private volatile boolean broken;

    private volatile long received;
    private @Nullable KeptTransaction last;
    /** Where the last transaction ends that is kept, of the present primary. */
    private volatile @Nullable BinlogEnd end;
    /** Number of the history of {@code end}. */
    private volatile long endHistory;
    /** Transactions that were acknowledged and for which the primary waited. */
    private final AtomicLong acknowledged = new AtomicLong();
    /** What was acknowledged without a question. Used by {@link #repeat}. */
    private @Nullable BinlogEnd repeated;

    WitnessStream(BlackBox box, Keeping keeping) {
        this.box = box;
        this.keeping = keeping;
    }

    void begin(PrimaryFacts facts) {
        broken = false;
        received = 0;
        box.onStart(facts);
    }

    /** Passes nothing more on until it begins again. On any thread. */
    void cutOff() {
        broken = true;
    }

    /** Returns how many events of transactions have arrived, or parts of long ones. On any thread. */
    long received() {
        return received;
    }

    /** @param by null if the primary does not count on acknowledgements any more */
    void acknowledgeTo(@Nullable Acknowledgements by) {
        to = by;
    }

    @Override
    public void onFormat(byte[] event) {
        box.onFormat(event);
    }

    @Override
    public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        long before = received; // written by this thread alone
        received = before + 1;
        if (!broken) {
            box.onEvent(buf, index, length, first, whole);
        }
    }

    /** Returns what becomes of a transaction; null if it is void. */
    EventRecorder.@Nullable Outcome take(BinlogTransaction transaction) {
        last = null;
        if (broken) {
            return null;
        }
        EventRecorder.Taken taken = box.take(transaction);
        last = taken.kept();
        return taken.outcome();
    }

    void passed(BinlogEnd at, boolean awaited) {
        KeptTransaction kept = last;
        last = null;
        if (kept == null || broken) {
            return;
        }
        endHistory = kept.history.number;
        end = at;
        Acknowledgements by = awaited ? to : null;
        if (by != null) {
            keeping.whenKept(() -> {
                by.send(at);
                acknowledged.incrementAndGet();
            });
        }
    }

    /** Returns how many transactions were acknowledged for which the primary waited. On any thread. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** Acknowledges, once all that came before is kept, everything up to there. On any thread. */
    void acknowledge(BinlogEnd upTo, Acknowledgements by) {
        keeping.whenKept(() -> by.send(upTo));
    }

    /** After a restart, commits may wait for what the log has: no event names their end again. */
    void idle(BinlogEnd at) {
        if (!broken && !at.file().isEmpty() && !at.equals(end)) {
            endHistory = box.history();
            end = at;
        }
    }

    /** Called when {@link #end} may be of another primary, or of a log that has begun anew. On any thread. */
    void forgetEnd() {
        end = null;
    }

    /**
     * As {@link #forgetEnd}, unless it is of the present history. On the plugin's executor.
     *
     * @param goesOn whether the next stream goes on where the black box ends
     */
    void forgetFormerEnd(boolean goesOn) {
        if (!goesOn || box.history() != endHistory) {
            end = null;
        }
    }

    /** Returns where the last transaction ends that is kept; null if that is not known. On any thread. */
    @Nullable
    BinlogEnd end() {
        return end;
    }

    /** Acknowledges what was not asked for, so that no commit waits for a question that did not come. By one thread. */
    void repeat() {
        BinlogEnd known = end;
        Acknowledgements by = to;
        if (known != null && by != null && !known.equals(repeated)) {
            acknowledge(known, by);
            repeated = known;
        }
    }
}
