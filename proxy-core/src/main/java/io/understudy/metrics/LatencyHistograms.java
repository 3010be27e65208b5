package io.understudy.metrics;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** All latency series of the process, for whoever exports them. Any thread. */
public final class LatencyHistograms {
    /**
     * One series.
     *
     * @param name without unit suffix rules applied: the Prometheus name, ending in {@code _seconds}
     */
    public record Series(String name, String description, Map<String, String> tags, LatencyHistogram histogram) {}

    private record Key(String name, Map<String, String> tags) {}

    private final ConcurrentMap<Key, Series> series = new ConcurrentHashMap<>();

    /**
     * The series of a name and tags, made at the first call. To be kept by the caller, not looked up per command.
     *
     * @param tags key, value, key, value…
     */
    public LatencyHistogram series(String name, String description, String... tags) {
        Map<String, String> map = new TreeMap<>();
        for (int i = 0; i + 1 < tags.length; i += 2) {
            map.put(tags[i], tags[i + 1]);
        }
        return series.computeIfAbsent(
                        new Key(name, map), key -> new Series(name, description, map, new LatencyHistogram()))
                .histogram();
    }

    public List<Series> all() {
        return List.copyOf(series.values());
    }
}
