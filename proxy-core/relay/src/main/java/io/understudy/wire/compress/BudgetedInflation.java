package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.understudy.base.NoTask;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Decompresses a connection's long frames in pieces, one frame after another, each with memory of the
 * {@link InflationBudget}. Confined to the connection's event loop.
 */
final class BudgetedInflation {
    private static final int WATCH_SECONDS = 1;

    private final Codec codec;
    private final InflationBudget budget;
    private final InflationBudget.Share share;
    private final Runnable resume;
    private Inflation frame = Inflation.NONE;
    private boolean waiting;
    /** While {@link #waiting}. */
    private Future<?> watch = NoTask.NONE;

    private boolean mayWait = true;
    /** The share waits for memory, or holds some. */
    private boolean asked;

    /**
     * @param resume called when a frame that waited for memory may go on
     * @param evicted called when others wait for the memory of a frame that stays unfinished
     */
    BudgetedInflation(Codec codec, InflationBudget budget, Runnable resume, Runnable evicted) {
        this.codec = codec;
        this.budget = budget;
        this.resume = resume;
        share = budget.share(this::granted, evicted);
    }

    /** Returns whether a frame waits for memory. */
    boolean waits() {
        return waiting;
    }

    /** Takes memory beyond the limit from now on, because the connection has closed. */
    void waitNoLonger() {
        waitEnded();
        mayWait = false;
    }

    /** Returns whether a frame has begun and its data has not ended. */
    boolean isOpen() {
        return frame != Inflation.NONE;
    }

    /**
     * Begins a frame.
     *
     * @param data what has come of the frame's data; no index changes
     * @param complete nothing more will come
     * @param length what the frame says it holds
     * @return false while its data or the memory for it have to be waited for
     */
    boolean open(EventExecutor loop, ByteBuf data, boolean complete, int length) {
        if (waiting) {
            return false;
        }
        if (!share.isHeld()) {
            long needed = codec.inflationBytes(data, complete, length);
            if (needed < 0) {
                return false;
            }
            asked = true;
            if (!mayWait) {
                share.takeAtOnce(needed, loop);
            } else if (!share.take(needed, loop)) {
                waiting = true;
                watch(loop);
                return false;
            }
        }
        frame = codec.inflation();
        return true;
    }

    private void granted() {
        waitEnded();
        resume.run();
    }

    private void waitEnded() {
        waiting = false;
        watch.cancel(false);
    }

    private void watch(EventExecutor loop) {
        budget.evictStalled();
        watch = loop.schedule(() -> watch(loop), WATCH_SECONDS, TimeUnit.SECONDS);
    }

    /** See {@link Inflation#inflate}. */
    void inflate(ByteBuf in, ByteBuf out, int room) {
        frame.inflate(in, out, room);
    }

    /** See {@link Inflation#finished}. */
    boolean finished() {
        return frame.finished();
    }

    /** Gives the frame more time for what it has made. */
    void progressed(int made) {
        share.progressed(made);
    }

    /** Ends the frame, or the wait for its memory. */
    void close() {
        waitEnded();
        Inflation last = frame;
        frame = Inflation.NONE;
        last.close();
        if (asked) {
            asked = false;
            share.give();
        }
    }
}
