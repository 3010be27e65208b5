package io.understudy.plugins.binlog;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The logged statements of one transaction, of bounded number. Not thread-safe. */
final class LoggedStatements {
    static final int MAX = 32;

    private final List<LoggedStatement> all = new ArrayList<>(1);

    /** Adds a statement; of those beyond the bound, only that there are some. */
    void add(LoggedStatement statement) {
        if (all.size() < MAX) {
            all.add(statement);
        } else if (all.size() == MAX) {
            all.add(LoggedStatement.UNREAD);
        }
    }

    boolean full() {
        return all.size() > MAX;
    }

    /** Returns the first one, which leads to the others; null if there is none, or it was not read. */
    @Nullable
    @SuppressWarnings("ReferenceEquality") // UNREAD is a mark
    LoggedStatement first() {
        if (all.isEmpty() || all.get(0) == LoggedStatement.UNREAD) {
            return null;
        }
        LoggedStatement first = null;
        for (int i = all.size() - 1; i >= 0; i--) {
            first = all.get(i).before(first);
        }
        return first;
    }

    void clear() {
        if (!all.isEmpty()) {
            all.clear();
        }
    }
}
