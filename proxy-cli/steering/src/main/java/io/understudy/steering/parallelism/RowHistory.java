package io.understudy.steering.parallelism;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The rows that the last transactions changed, to find the one that a transaction depends on. Not thread-safe. */
final class RowHistory {
    private static final int MOST = 16_384;

    /** Number of the last transaction that found or left a row, by the row's hash. */
    private final Map<Long, Long> changedBy = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
            return size() > MOST;
        }
    };

    private long number;

    /** Adds the next transaction. Returns how many transactions before it the last one with a common row is, or 0. */
    int add(RowImages rows) {
        number++;
        long latest = 0;
        for (long image : rows.before()) {
            long found = changedBy.getOrDefault(image, 0L);
            latest = found == number ? latest : Math.max(latest, found);
        }
        for (long[] images : List.of(rows.before(), rows.after())) {
            for (long image : images) {
                changedBy.remove(image);
                changedBy.put(image, number);
            }
        }
        return latest == 0 ? 0 : (int) Math.min(number - latest, Integer.MAX_VALUE);
    }
}
