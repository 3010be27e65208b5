package io.understudy.replay.log;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Reads a log's events one by one from a buffer of lines, and counts them. */
abstract class LogReader {
    final LineBuffer in;
    final LogCounts counts = new LogCounts();
    /** Events that were read already, and precede what is read next. */
    final Queue<LogEvent> pending = new ArrayDeque<>();

    LogReader(LineBuffer in) {
        this.in = in;
    }

    /** Returns the next event, waiting for it if need be, or null at the end of the log. */
    final @Nullable LogEvent next() throws IOException {
        while (true) {
            LogEvent event = pending.poll();
            if (event == null) {
                in.release();
                if (in.isOver()) {
                    return null;
                }
                event = read();
            }
            if (event != null) {
                counts.event();
                return event;
            }
        }
    }

    /** Reads on; returns the next event, or null if what was read is none. */
    @Nullable
    abstract LogEvent read() throws IOException;
}
