package io.understudy.plugins.commitlatency;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/** The history of semi-synchronous replication's state, for commits that are found later. Used by the worker only. */
final class PastStates {
    private static final int CHANGES = 256;

    private record Change(long nanos, SemiSync state) {}

    private final Deque<Change> changes = new ArrayDeque<>();

    void sample(SemiSyncSample sample) {
        Change last = changes.peekLast();
        if (last == null || last.state() != sample.state()) {
            if (changes.size() == CHANGES) {
                changes.removeFirst();
            }
            changes.addLast(new Change(sample.receivedNanos(), sample.state()));
        }
    }

    /** Returns the state at a monotonic time: the earliest known one for a time before that. */
    SemiSync at(long nanos) {
        Iterator<Change> newestFirst = changes.descendingIterator();
        SemiSync state = SemiSync.UNKNOWN;
        while (newestFirst.hasNext()) {
            Change change = newestFirst.next();
            state = change.state();
            if (change.nanos() - nanos <= 0) {
                break;
            }
        }
        return state;
    }
}
