package io.understudy.command;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many responses may be due in all sessions together beyond the few that each may always have. Thread-safe.
 *
 * <p>Commands of five bytes each cost the client nothing, and the proxy an {@link Exchange}: without this bound some
 * hundred connections that pipeline could fill the heap.
 */
public final class PipelineBudget {
    /** An {@link Exchange} with an observer's attachments, in bytes; measured 160 without, more with plugins. */
    private static final int EXCHANGE_BYTES = 512;

    private final AtomicLong free;

    /** @param responses how many may be due */
    public PipelineBudget(long responses) {
        free = new AtomicLong(responses);
    }

    /** Returns a budget that takes at most a sixteenth of the largest heap. */
    public static PipelineBudget ofHeap() {
        return new PipelineBudget(Runtime.getRuntime().maxMemory() / 16 / EXCHANGE_BYTES);
    }

    /** Takes room for that many responses; returns false, and takes nothing, if there is less. */
    boolean take(int responses) {
        if (free.addAndGet(-responses) >= 0) {
            return true;
        }
        free.addAndGet(responses);
        return false;
    }

    /** Gives back what was taken. */
    void give(int responses) {
        if (responses != 0) {
            free.addAndGet(responses);
        }
    }
}
