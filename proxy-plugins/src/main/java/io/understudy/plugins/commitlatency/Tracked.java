package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.Nullable;

/** A commit on its way through the worker, with what was found out about it so far. On the worker only. */
final class Tracked {
    private final Commit commit;
    private @Nullable Breakdown breakdown;
    private long bytes;

    Tracked(Commit commit) {
        this.commit = commit;
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

    void attributed(Breakdown parts, long eventBytes) {
        breakdown = parts;
        bytes = eventBytes;
    }
}
