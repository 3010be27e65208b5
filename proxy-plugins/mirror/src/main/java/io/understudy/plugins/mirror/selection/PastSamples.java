package io.understudy.plugins.mirror.selection;

import java.util.ArrayList;
import java.util.List;

/** The last values of an adaptive sample, with their times. Written by one thread, read by any. */
public final class PastSamples {
    /** More changes than a queue's age has seconds, for budgets may halve the sample every second. */
    private static final int MOST = 16;

    private record Change(SampleRate sample, long nanos) {}

    private volatile List<Change> changes;

    public PastSamples(SampleRate first) {
        changes = List.of(new Change(first, 0));
    }

    public void add(SampleRate sample, long nanos) {
        List<Change> all = new ArrayList<>(changes);
        all.add(new Change(sample, nanos));
        changes = List.copyOf(all.subList(Math.max(0, all.size() - MOST), all.size()));
    }

    /** Returns the sample at a time, or the oldest known. */
    public SampleRate at(long nanos) {
        List<Change> all = changes;
        int i = all.size() - 1;
        while (i > 0 && all.get(i).nanos() - nanos > 0) {
            i--;
        }
        return all.get(i).sample();
    }
}
