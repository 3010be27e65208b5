package io.understudy.plugins.mirror.playback;

import org.jspecify.annotations.Nullable;

/** Runs the parts of a periodic task, all of them even if one throws. Not thread-safe. */
final class Sweep {
    private @Nullable Throwable fault;

    /** Runs a part. */
    void part(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            if (fault == null) {
                fault = e;
            } else if (fault != e) {
                fault.addSuppressed(e);
            }
        }
    }

    /** Throws what the first failed part has thrown, for the log of the executor. */
    void end() {
        if (fault instanceof Error error) {
            throw error;
        }
        if (fault instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
