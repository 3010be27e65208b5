package io.understudy.base;

import java.util.LinkedHashMap;
import java.util.Map;

/** A bounded map: an entry added to a full map evicts the least recently used one. */
public final class RecentlyUsed<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int most;

    public RecentlyUsed(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
