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

    /** Guarded by this: windows that have suppressed events. */
    private int suppressing;

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
        long now = nanoClock.getAsLong();
        List<LogEntry> due = new ArrayList<>(1);
        if (suppressing > 0) {
            closeOver(now, due);
        }
        String kind = kind(event);
        Window window = windows.get(kind);
        if (window != null && now - window.began > INTERVAL) {
            windows.remove(kind);
            window = null;
        }
        if (window == null) {
            window = new Window(now);
            makeRoom(due);
            windows.put(kind, window);
        }
        if (window.logged < MOST) {
            window.logged++;
            due.add(event);
        } else {
            suppressing += window.suppressed == 0 ? 1 : 0;
            window.suppressed++;
            window.last = event;
        }
        return due;
    }

    private void closeOver(long now, List<LogEntry> due) {
        for (Iterator<Window> all = windows.values().iterator(); all.hasNext(); ) {
            Window window = all.next();
            if (now - window.began <= INTERVAL) {
                return; // and those after it are younger
            }
            all.remove();
            count(window, due);
        }
    }

    private void makeRoom(List<LogEntry> due) {
        if (windows.size() >= MOST_KINDS) {
            Iterator<Window> all = windows.values().iterator();
            Window eldest = all.next();
            all.remove();
            count(eldest, due);
        }
    }

    private void count(Window window, List<LogEntry> due) {
        LogEntry last = window.last;
        if (last == null) {
            return;
        }
        suppressing--;
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
