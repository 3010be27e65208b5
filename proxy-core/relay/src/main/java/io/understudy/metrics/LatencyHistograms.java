package io.understudy.metrics;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** All latency series of the process, for exporters. Thread-safe. */
public final class LatencyHistograms {
    /**
     * One series.
     *
     * @param name the Prometheus name, ending in {@code _seconds}
     */
    public record Series(String name, String description, Map<String, String> tags, LatencyHistogram histogram) {}

    private record Key(String name, Map<String, String> tags) {}

    private final ConcurrentMap<Key, Series> series = new ConcurrentHashMap<>();

    /**
     * Returns the series of a name and tags, creating it on the first call. Callers keep it instead of looking it up
     * per command.
     *
     * @param tags key, value, key, value…
     */
    public LatencyHistogram series(String name, String description, String... tags) {
        return series.computeIfAbsent(
                        key(name, tags), key -> new Series(name, description, key.tags(), new LatencyHistogram()))
                .histogram();
    }

    private static Key key(String name, String... tags) {
        Map<String, String> map = new TreeMap<>();
        for (int i = 0; i + 1 < tags.length; i += 2) {
            map.put(tags[i], tags[i + 1]);
        }
        return new Key(name, map);
    }

    /** Removes a series that was created with this name and these tags. */
    public void remove(String name, String... tags) {
        series.remove(key(name, tags));
    }

    public List<Series> all() {
        return List.copyOf(series.values());
    }
}
