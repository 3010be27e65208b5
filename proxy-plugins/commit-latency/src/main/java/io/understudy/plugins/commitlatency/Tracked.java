package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;
import org.jspecify.annotations.Nullable;

/** A commit on its way through the worker, with the facts found so far. Used by the worker only. */
final class Tracked {
    private final Commit commit;
    private @Nullable Breakdown breakdown;
    private long bytes;
    private @Nullable BinlogTransaction event;
    private @Nullable SemiSync state;

    Tracked(Commit commit) {
        this(commit, 0);
    }

    /** @param bytes of its events in the binary log; 0 while unknown */
    Tracked(Commit commit, long bytes) {
        this.commit = commit;
        this.bytes = bytes;
    }

    Commit commit() {
        return commit;
    }

    /** Returns the parts of its latency, or null while they are unknown. */
    @Nullable
    Breakdown breakdown() {
        return breakdown;
    }

    /** Returns the bytes of its events in the binary log; 0 while unknown. */
    long bytes() {
        return bytes;
    }

    /** Sets its event, for a commit that can be split only once its state is known. */
    void met(BinlogTransaction found) {
        event = found;
        bytes = found.bytes();
    }

    /** Returns the event set by {@link #met}, or null. */
    @Nullable
    BinlogTransaction event() {
        return event;
    }

    void classified(SemiSync found) {
        state = found;
    }

    /** Returns the state of semi-synchronous replication when its response was sent; null while undecided. */
    @Nullable
    SemiSync state() {
        return state;
    }

    void attributed(Breakdown parts, long eventBytes) {
        breakdown = parts;
        bytes = eventBytes;
    }
}
