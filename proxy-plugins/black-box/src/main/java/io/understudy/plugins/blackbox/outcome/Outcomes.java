package io.understudy.plugins.blackbox.outcome;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last outcomes, of bounded number. Thread-safe. */
public final class Outcomes {
    static final int MOST = 10_000;

    private final ArrayDeque<OutcomeRecord> all = new ArrayDeque<>();

    /**
     * What is asked for. Null, and 0 as a connection or digest, stand for any.
     *
     * @param connection the session's connection id on its server
     * @param since no earlier statements
     */
    public record Filter(
            long connection,
            @Nullable String user,
            long digest,
            @Nullable Instant since,
            @Nullable String token) {
        /** Takes all. */
        public static final Filter ANY = new Filter(0, null, 0, null, null);

        boolean takes(OutcomeRecord each) {
            return (connection == 0 || connection == each.thread())
                    && (user == null || user.equals(each.user()))
                    && (digest == 0 || digest == each.digest())
                    && (since == null || !each.when().isBefore(since))
                    && (token == null || token.equals(each.token()));
        }
    }

    /**
     * Adds an outcome, in place of an earlier one of the same statement. The oldest is dropped if there are too many.
     */
    public synchronized void add(OutcomeRecord next) {
        Iterator<OutcomeRecord> newestFirst = all.descendingIterator();
        while (newestFirst.hasNext()) {
            if (newestFirst.next().sameStatement(next)) {
                newestFirst.remove();
                break;
            }
        }
        all.add(next);
        if (all.size() > MOST) {
            all.remove();
        }
    }

    /** Returns the newest that are settled, the oldest of them first. */
    public synchronized List<OutcomeRecord> newest(int most) {
        ArrayDeque<OutcomeRecord> newest = new ArrayDeque<>();
        Iterator<OutcomeRecord> newestFirst = all.descendingIterator();
        while (newestFirst.hasNext() && newest.size() < most) {
            OutcomeRecord next = newestFirst.next();
            if (next.settled()) {
                newest.addFirst(next);
            }
        }
        return List.copyOf(newest);
    }

    /** Returns the outcomes that were asked for, in the order in which they were last added. */
    public synchronized List<OutcomeRecord> find(Filter filter) {
        List<OutcomeRecord> found = new ArrayList<>();
        for (OutcomeRecord each : all) {
            if (filter.takes(each)) {
                found.add(each);
            }
        }
        return found;
    }
}
