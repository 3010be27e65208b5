package io.understudy.logging;

import io.understudy.config.LogConfig;
import io.understudy.config.LogLevel;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;

/**
 * Writes events to the standard error stream. SLF4J's loggers are static, so this is, too. Thread-safe: a line is
 * written whole.
 */
public final class EventLog {
    private static final Repeats REPEATS = new Repeats(System::nanoTime);
    private static final boolean JOURNAL = Journal.isReadingStandardError();

    private static volatile LogSettings settings = LogSettings.of(LogLevel.INFO);

    private EventLog() {}

    static LogSettings settings() {
        return settings;
    }

    /** Sets the level of programs that are not {@code run}. */
    public static void level(LogLevel level) {
        settings = LogSettings.of(level);
    }

    /**
     * Applies the section of the file, at the start and when it is reloaded.
     *
     * @param packages of the plugins, by id
     */
    public static void apply(LogConfig config, Map<String, String> packages) {
        settings = LogSettings.of(config, packages);
    }

    static void write(LogEntry event) {
        List<LogEntry> due = REPEATS.admit(event);
        if (due.isEmpty()) {
            return;
        }
        // The lines are in the order of their times.
        synchronized (REPEATS) {
            StringBuilder lines = new StringBuilder(256);
            ZonedDateTime now = ZonedDateTime.now(ZoneId.systemDefault());
            for (LogEntry one : due) {
                if (JOURNAL) {
                    lines.append(Journal.priority(one.level()));
                }
                LogLine.append(lines, one, now, settings.format());
                lines.append('\n');
            }
            // Not kept: tests replace the stream.
            System.err.print(lines);
        }
    }
}
