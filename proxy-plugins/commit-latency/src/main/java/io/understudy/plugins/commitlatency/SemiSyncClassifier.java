package io.understudy.plugins.commitlatency;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Decides for each commit whether it was acknowledged, from the probe before it and the probe after it. If the two
 * agree and the server counted no unacknowledged transaction, that is the state. If they differ or the counter has
 * moved, the counter gives the number of unacknowledged commits and the change of state gives their place: the last
 * ones if the server fell back, the first ones if it recovered, those from the slowest on if it did both in between.
 * The counter covers all clients of the server, so commits that bypassed the proxy cause errors towards unacknowledged.
 * Used by the worker only.
 */
final class SemiSyncClassifier {
    private static final int CHANGES = 256;

    /** The state from a time on. */
    private record Change(long nanos, SemiSync state) {}

    private final Deque<Change> changes = new ArrayDeque<>();
    private final int capacity;
    private final BiConsumer<Tracked, SemiSync> out;
    private final List<Tracked> pending = new ArrayList<>();
    private SemiSyncSample last = SemiSyncSample.NONE;

    SemiSyncClassifier(int capacity, BiConsumer<Tracked, SemiSync> out) {
        this.capacity = capacity;
        this.out = out;
    }

    /** Adds a commit whose state the next probe decides. */
    void commit(Tracked commit) {
        if (pending.size() >= capacity) {
            // Too many commits in one interval: the last known state decides.
            out.accept(commit, last.state());
            return;
        }
        pending.add(commit);
    }

    void sample(SemiSyncSample sample) {
        SemiSyncSample before = last;
        last = sample;
        Change latest = changes.peekLast();
        if (latest == null || latest.state() != sample.state()) {
            if (changes.size() == CHANGES) {
                changes.removeFirst();
            }
            changes.addLast(new Change(sample.receivedNanos(), sample.state()));
        }
        pending.sort(Comparator.comparingLong(tracked -> tracked.commit().okNanos()));
        int due = 0;
        while (due < pending.size() && pending.get(due).commit().okNanos() - sample.receivedNanos() <= 0) {
            due++;
        }
        List<Tracked> decided = pending.subList(0, due);
        decide(decided, before, sample);
        decided.clear();
    }

    /**
     * Returns the state at a monotonic time, for a commit that is found later: the earliest known one for a time before
     * that.
     */
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

    /** Decides the waiting commits by the last probe. Called last. */
    void finish() {
        all(pending, last.state());
        pending.clear();
    }

    private void decide(List<Tracked> commits, SemiSyncSample before, SemiSyncSample now) {
        if (!now.isOfServerOf(before)) {
            // Some may be of the server before, about whose last commits no probe tells.
            all(commits, !before.known() || before.state() == now.state() ? now.state() : SemiSync.UNKNOWN);
            return;
        }
        long counted = now.unacknowledged() - before.unacknowledged();
        int missed = (int) Math.min(commits.size(), now.follows(before) ? counted : now.unacknowledged());
        if (before.on() && now.on()) {
            int from = missed == 0 ? 0 : slowest(commits, missed);
            mark(commits, from, missed, SemiSync.DEGRADED);
        } else if (before.on()) {
            mark(commits, commits.size() - missed, missed, now.enabled() ? SemiSync.DEGRADED : SemiSync.OFF);
        } else if (now.on()) {
            mark(commits, 0, missed, before.enabled() ? SemiSync.DEGRADED : SemiSync.OFF);
        } else {
            all(commits, now.state());
        }
    }

    private void all(List<Tracked> commits, SemiSync state) {
        for (Tracked commit : commits) {
            out.accept(commit, state);
        }
    }

    private void mark(List<Tracked> commits, int from, int count, SemiSync state) {
        for (int i = 0; i < commits.size(); i++) {
            out.accept(commits.get(i), i >= from && i < from + count ? state : SemiSync.ON);
        }
    }

    /**
     * Returns the start of a run of {@code count} commits that begins with the slowest, or earlier if fewer follow it.
     */
    private static int slowest(List<Tracked> commits, int count) {
        int found = 0;
        for (int i = 1; i < commits.size(); i++) {
            if (commits.get(i).commit().latencyNanos()
                    > commits.get(found).commit().latencyNanos()) {
                found = i;
            }
        }
        return Math.min(found, commits.size() - count);
    }
}
