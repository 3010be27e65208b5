package io.understudy.plugins.commitlatency;

import java.util.Map;
import java.util.TreeMap;

/**
 * The times during which at least one commit waited for its acknowledgement, as a union of intervals. Bounded: the
 * oldest are forgotten. Times are monotonic nanoseconds of one clock that does not wrap while the process runs. Not
 * thread-safe.
 */
final class BusyTimes {
    private final int capacity;
    private final TreeMap<Long, Long> endByBegin = new TreeMap<>();

    BusyTimes(int capacity) {
        this.capacity = capacity;
    }

    void add(long begin, long end) {
        if (end <= begin) {
            return;
        }
        long from = begin;
        long to = end;
        Map.Entry<Long, Long> before = endByBegin.floorEntry(from);
        if (before != null && before.getValue() >= from) {
            from = before.getKey();
            to = Math.max(to, before.getValue());
        }
        Map.Entry<Long, Long> next = endByBegin.higherEntry(from);
        while (next != null && next.getKey() <= to) {
            to = Math.max(to, next.getValue());
            endByBegin.remove(next.getKey());
            next = endByBegin.higherEntry(from);
        }
        endByBegin.put(from, to);
        if (endByBegin.size() > capacity) {
            endByBegin.pollFirstEntry();
        }
    }

    /** Returns how much of the time from {@code begin} to {@code end} was busy. */
    long overlap(long begin, long end) {
        if (end <= begin) {
            return 0;
        }
        long total = 0;
        Long first = endByBegin.floorKey(begin);
        for (Map.Entry<Long, Long> entry :
                endByBegin.tailMap(first == null ? begin : first, true).entrySet()) {
            if (entry.getKey() >= end) {
                break;
            }
            total += Math.max(0, Math.min(end, entry.getValue()) - Math.max(begin, entry.getKey()));
        }
        return total;
    }

    void clear() {
        endByBegin.clear();
    }
}
