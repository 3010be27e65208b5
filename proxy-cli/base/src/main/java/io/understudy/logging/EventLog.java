package io.understudy.logging;

import io.understudy.config.LogConfig;
import io.understudy.config.LogLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Writes events to the standard error stream, directly or by a {@link LogWriter}. SLF4J's loggers are static, so this
 * is, too. Thread-safe: a line is written whole.
 */
public final class EventLog {
    private static final Repeats REPEATS = new Repeats(System::nanoTime);
    private static final boolean JOURNAL = isReadByJournal();

    private static volatile LogSettings settings = LogSettings.of(LogLevel.INFO);
    private static volatile @Nullable LogWriter writer;

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

    /** Has lines written by a thread of its own until that is closed: a caller never waits for the stream's reader. */
    public static LogWriter background() {
        LogWriter started = new LogWriter(EventLog::lostLine);
        started.start();
        synchronized (REPEATS) {
            writer = started;
        }
        return started;
    }

    /** Ends the work of a writer that has written all its lines. Returns whether it has. */
    static boolean writeDirectly(LogWriter ended) {
        synchronized (REPEATS) {
            if (!ended.isIdle()) {
                return false;
            }
            if (writer == ended) {
                writer = null;
            }
            return true;
        }
    }

    /** Returns how many lines were lost because nobody read the stream. */
    public static long lost() {
        LogWriter present = writer;
        return present == null ? 0 : present.lost();
    }

    static void write(LogEntry event) {
        List<LogEntry> due = REPEATS.admit(event);
        if (due.isEmpty()) {
            return;
        }
        // The lines are in the order of their times.
        synchronized (REPEATS) {
            StringBuilder lines = new StringBuilder(256);
            for (LogEntry one : due) {
                append(lines, one);
            }
            LogWriter present = writer;
            if (present == null) {
                // Not kept: tests replace the stream.
                System.err.print(lines);
            } else {
                present.add(lines, due.size());
            }
        }
    }

    private static void append(StringBuilder lines, LogEntry event) {
        if (JOURNAL) {
            lines.append(priority(event.level()));
        }
        LogLine.append(lines, event, ZonedDateTime.now(ZoneId.systemDefault()), settings.format());
        lines.append('\n');
    }

    private static String lostLine(long count) {
        String message = (count == 1 ? "1 line" : count + " lines")
                + " of the log were lost here: whatever reads standard error had stopped reading";
        StringBuilder line = new StringBuilder();
        append(
                line,
                new LogEntry(
                        Level.WARN,
                        EventLog.class.getName(),
                        null,
                        message,
                        message,
                        List.of(new LogKey("lost", count)),
                        null));
        return line.toString();
    }

    /**
     * Returns whether systemd's journal reads the stream: see {@code systemd.exec(5)}. The variable names it, because
     * programs that redirect the stream of theirs keep the variable.
     */
    private static boolean isReadByJournal() {
        String stream = System.getenv("JOURNAL_STREAM");
        if (stream == null) {
            return false;
        }
        try {
            Path error = Path.of("/proc/self/fd/2");
            return stream.equals(Files.getAttribute(error, "unix:dev") + ":" + Files.getAttribute(error, "unix:ino"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException notThere) {
            return false;
        }
    }

    /** Returns the prefix with which the journal reads a line's priority: see {@code sd-daemon(3)}. */
    static String priority(Level level) {
        return switch (level) {
            case ERROR -> "<3>";
            case WARN -> "<4>";
            case INFO -> "<6>";
            default -> "<7>";
        };
    }
}
