package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;
import org.jspecify.annotations.Nullable;

/** A commit on its way through the worker, with what was found out about it so far. On the worker only. */
final class Tracked {
    private final Commit commit;
    private @Nullable Breakdown breakdown;
    private long bytes;
    private @Nullable BinlogTransaction event;
    private @Nullable SemiSync state;

    Tracked(Commit commit) {
        this(commit, 0);
    }

    /** @param bytes of its events in the binary log; 0 when these were not seen (yet) */
    Tracked(Commit commit, long bytes) {
        this.commit = commit;
        this.bytes = bytes;
    }

    Commit commit() {
        return commit;
    }

    /** Null when its event was not seen (yet). */
    @Nullable
    Breakdown breakdown() {
        return breakdown;
    }

    /** Of its events in the binary log; 0 when these were not seen (yet). */
    long bytes() {
        return bytes;
    }

    /** Its event was found, but the commit can be split only once its state is known. */
    void met(BinlogTransaction found) {
        event = found;
        bytes = found.bytes();
    }

    /** What {@link #met} was told, or null. */
    @Nullable
    BinlogTransaction event() {
        return event;
    }

    void classified(SemiSync found) {
        state = found;
    }

    /** Of semi-synchronous replication when it was answered; null when that is not decided yet. */
    @Nullable
    SemiSync state() {
        return state;
    }

    void attributed(Breakdown parts, long eventBytes) {
        breakdown = parts;
        bytes = eventBytes;
    }
}
