package io.understudy.replay.log;

import java.io.IOException;
import java.io.InputStream;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** A log whose kind shows with its first lines. Opening it does not wait for them. */
final class SniffedLog implements StatementLog {
    private final LineBuffer lines;
    private final ZoneId zone;
    private @Nullable StatementLog log;

    SniffedLog(InputStream in, ZoneId zone) {
        this.lines = new LineBuffer(in);
        this.zone = zone;
    }

    @Override
    public @Nullable LogEvent next() throws IOException {
        StatementLog known = log;
        if (known == null) {
            if (CaptureReader.begins(lines)) {
                known = new CaptureReader(lines);
            } else if (GeneralLogReader.begins(lines)) {
                known = new GeneralLogReader(lines, zone);
            } else {
                known = new SlowLogReader(lines, zone);
            }
            log = known;
        }
        return known.next();
    }

    @Override
    public LogCounts counts() {
        StatementLog known = log;
        return known == null ? new LogCounts() : known.counts();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
