package io.understudy.plugins.gtiddomain.parallelism;

import io.understudy.plugins.binlog.RowImages;
import java.util.LinkedHashMap;
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
        long[] latest = {0};
        rows.before(image -> {
            Long found = changedBy.get(image);
            latest[0] = found == null || found == number ? latest[0] : Math.max(latest[0], found);
        });
        rows.before(this::put);
        rows.after(this::put);
        return latest[0] == 0 ? 0 : (int) Math.min(number - latest[0], Integer.MAX_VALUE);
    }

    private void put(long image) {
        changedBy.remove(image);
        changedBy.put(image, number);
    }
}
