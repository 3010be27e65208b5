package io.understudy.replay.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** A log of statements, read event by event as it comes; what is held does not grow with the log. */
public interface StatementLog extends Closeable {
    /** Returns the next event, waiting for it if need be, or null at the end of the log. */
    @Nullable
    LogEvent next() throws IOException;

    /** Returns what was seen so far. */
    LogCounts counts();

    /**
     * Opens a slow log, a general log or a capture; its first lines, read with the first event, tell which.
     *
     * @param zone of times that are written without one
     */
    static StatementLog open(InputStream in, ZoneId zone) {
        return new SniffedLog(in, zone);
    }
}
