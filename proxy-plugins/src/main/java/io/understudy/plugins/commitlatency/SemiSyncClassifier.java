package io.understudy.plugins.commitlatency;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each commit whether it was acknowledged, between the look at the primary before it and the one after it. Where
 * the two agree and the server counted no unacknowledged transaction, that is the state. Where they differ, or the counter has
 * moved, the counter says how many commits to take, and the direction of the change says which: the last ones when the server
 * fell back, the first ones when it recovered, those from the slowest on when it did both in between. The counter counts all
 * clients of the server, so commits that did not pass here make this err towards unacknowledged. On the worker only.
 */
final class SemiSyncClassifier {
    private final int capacity;
    private final BiConsumer<Tracked, SemiSync> out;
    private final List<Tracked> pending = new ArrayList<>();
    private @Nullable SemiSyncSample last;

    SemiSyncClassifier(int capacity, BiConsumer<Tracked, SemiSync> out) {
        this.capacity = capacity;
        this.out = out;
    }

    /** A commit whose state the next look decides. */
    void commit(Tracked commit) {
        if (pending.size() >= capacity) {
            // More commits in one interval than are kept: by what was last known.
            SemiSyncSample latest = last;
            out.accept(commit, latest == null ? SemiSync.UNKNOWN : latest.state());
            return;
        }
        pending.add(commit);
    }

    void sample(SemiSyncSample sample) {
        SemiSyncSample before = last;
        last = sample;
        pending.sort(Comparator.comparingLong(tracked -> tracked.commit().okNanos()));
        int due = 0;
        while (due < pending.size() && pending.get(due).commit().okNanos() - sample.answeredNanos() <= 0) {
            due++;
        }
        List<Tracked> decided = pending.subList(0, due);
        decide(decided, before, sample);
        decided.clear();
    }

    /** Decides what waits by the last look: there will be no other. */
    void finish() {
        SemiSyncSample latest = last;
        all(pending, latest == null ? SemiSync.UNKNOWN : latest.state());
        pending.clear();
    }

    private void decide(List<Tracked> commits, @Nullable SemiSyncSample before, SemiSyncSample now) {
        if (!now.known() || before == null || !before.known()) {
            all(commits, now.state());
            return;
        }
        long counted = now.unacknowledged() - before.unacknowledged();
        int missed = (int) Math.min(commits.size(), counted < 0 ? now.unacknowledged() : counted);
        if (before.on() && now.on()) {
            int from = missed == 0 ? 0 : slowest(commits, missed);
            mark(commits, from, missed);
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

    private void mark(List<Tracked> commits, int from, int count) {
        mark(commits, from, count, SemiSync.DEGRADED);
    }

    private void mark(List<Tracked> commits, int from, int count, SemiSync state) {
        for (int i = 0; i < commits.size(); i++) {
            out.accept(commits.get(i), i >= from && i < from + count ? state : SemiSync.ON);
        }
    }

    /** The first of {@code count} commits among which the slowest is the first, as far as there are so many after it. */
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
