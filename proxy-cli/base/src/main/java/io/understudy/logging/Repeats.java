package io.understudy.logging;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Limits the events of one kind to {@link #MOST} in {@link #SECONDS} seconds. The others are counted, and the count is
 * logged with the next event of any kind after that time. Thread-safe.
 */
final class Repeats {
    static final int MOST = 20;
    static final int SECONDS = 10;
    static final int MOST_KINDS = 500;
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(SECONDS);
    /** A pattern with fewer letters, such as {@code {}: {}}, does not say what kind of event it is. */
    private static final int LETTERS = 8;

    private final LongSupplier nanoClock;
    /** Guarded by this; the oldest first. */
    private final Map<String, Window> windows = new LinkedHashMap<>();

    private static final class Window {
        private final long began;
        private int logged;
        private long suppressed;
        private @Nullable LogEntry last;

        Window(long began) {
            this.began = began;
        }
    }

    Repeats(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Returns what is to be logged now: counts of earlier events, and the event unless there were too many of it. */
    synchronized List<LogEntry> admit(LogEntry event) {
        if (event.level().compareTo(Level.INFO) > 0) {
            return List.of(event); // whoever wants these wants all of them
        }
        String kind = kind(event);
        long now = nanoClock.getAsLong();
        List<LogEntry> due = new ArrayList<>(1);
        for (Iterator<Window> all = windows.values().iterator(); all.hasNext(); ) {
            Window eldest = all.next();
            boolean fits = windows.size() < MOST_KINDS || windows.containsKey(kind);
            if (now - eldest.began <= INTERVAL && fits) {
                break; // and those after it are younger
            }
            all.remove();
            count(eldest, due);
        }
        Window window = windows.computeIfAbsent(kind, added -> new Window(now));
        if (window.logged < MOST) {
            window.logged++;
            due.add(event);
        } else {
            window.suppressed++;
            window.last = event;
        }
        return due;
    }

    private static void count(Window window, List<LogEntry> due) {
        LogEntry last = window.last;
        if (last == null) {
            return;
        }
        List<LogKey> keys = new ArrayList<>(last.keys());
        keys.add(new LogKey("repeated", window.suppressed));
        due.add(new LogEntry(
                last.level(),
                last.logger(),
                last.plugin(),
                last.pattern(),
                window.suppressed + " more events like this one were not logged: " + last.message(),
                keys,
                null));
    }

    private static String kind(LogEntry event) {
        long letters = event.pattern().chars().filter(Character::isLetter).count();
        return event.level() + event.logger() + ' ' + (letters < LETTERS ? event.message() : event.pattern());
    }
}
