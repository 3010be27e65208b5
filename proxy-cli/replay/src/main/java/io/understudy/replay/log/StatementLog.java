package io.understudy.replay.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A log of statements, read event by event as it comes; what is held does not grow with the log. Its first lines tell
 * its kind; opening it does not wait for them. What has lines and not one event is refused: it is no log, or the begin
 * of a capture that is damaged there.
 */
public final class StatementLog implements Closeable {
    private static final int SHOWN = 60;

    private final LineBuffer lines;
    private final ZoneId zone;
    private @Nullable LogReader log;
    private String firstLine = "";

    private StatementLog(InputStream in, ZoneId zone) {
        this.lines = new LineBuffer(in);
        this.zone = zone;
    }

    /**
     * Opens a slow log, a general log or a capture.
     *
     * @param zone of times that are written without one
     */
    public static StatementLog open(InputStream in, ZoneId zone) {
        return new StatementLog(in, zone);
    }

    /** Returns the next event, waiting for it if need be, or null at the end of the log. */
    public @Nullable LogEvent next() throws IOException {
        LogReader known = log;
        if (known == null) {
            firstLine = firstLine();
            if (CaptureReader.begins(lines)) {
                known = new CaptureReader(lines);
            } else if (GeneralLogReader.begins(lines)) {
                known = new GeneralLogReader(lines, zone);
            } else {
                known = new SlowLogReader(lines, zone);
            }
            log = known;
        }
        LogEvent event = known.next();
        if (event == null && isNone(known.counts)) {
            throw new IOException(lines.name() + " is no slow log, general log or capture, or its begin is damaged: it"
                    + " begins with \"" + firstLine + "\" and has not one event");
        }
        return event;
    }

    /** Returns whether the lines were those of no event, not even of one that is refused. */
    private static boolean isNone(LogCounts counts) {
        return counts.events() == 0
                && counts.rotations() == 0
                && counts.missing() == 0
                && counts.refused().containsKey("no_header")
                && Set.of("no_header", "truncated").containsAll(counts.refused().keySet());
    }

    private String firstLine() throws IOException {
        int end = Math.min(lines.end(lines.at), lines.at + SHOWN);
        return new String(lines.bytes, lines.at, end - lines.at, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", "?");
    }

    /** Returns what was seen so far. */
    public LogCounts counts() {
        LogReader known = log;
        return known == null ? new LogCounts() : known.counts;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
