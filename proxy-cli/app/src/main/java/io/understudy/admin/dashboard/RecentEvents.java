package io.understudy.admin.dashboard;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** The last {@value #ENTRIES} state changes, for {@code /api/events}. Thread-safe. */
final class RecentEvents {

    static final int ENTRIES = 500;

    /** {@code problem} asks for action, {@code recovered} ends a problem, {@code info} is neither. */
    enum Level {
        PROBLEM,
        RECOVERED,
        INFO;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** @param subject the part of the system that it is about, such as {@code standby standby-1} */
    record Entry(Instant time, Level level, String subject, String text) {}

    private final Deque<Entry> entries = new ArrayDeque<>();

    synchronized void add(Instant time, Level level, String subject, String text) {
        if (entries.size() == ENTRIES) {
            entries.removeFirst();
        }
        entries.addLast(new Entry(time, level, subject, text));
    }

    /** Returns the entries, newest first. */
    synchronized List<Entry> newestFirst() {
        List<Entry> all = new ArrayList<>(entries);
        Collections.reverse(all);
        return all;
    }
}
