package io.understudy.plugins.mirror.warmth;

import java.util.LinkedHashMap;
import java.util.Map;

/** A buffer pool that evicts the page that was longest unread. */
final class SimulatedPool {
    private final int size;
    private final LinkedHashMap<Integer, Boolean> pages = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
            return size() > size;
        }
    };

    SimulatedPool(int size) {
        this.size = size;
    }

    int pages() {
        return pages.size();
    }

    SimulatedPool copy() {
        SimulatedPool copy = new SimulatedPool(size);
        copy.pages.putAll(pages);
        return copy;
    }

    /** Reads the leaf and the inner page of one row; returns how many of them were not in the pool. */
    int read(int leaf) {
        return one(leaf) + one(-1 - leaf / SimulatedReads.LEAVES_AN_INNER_PAGE);
    }

    private int one(int page) {
        return pages.put(page, Boolean.TRUE) == null ? 1 : 0;
    }
}
