package io.understudy.plugins.querylog.digests;

import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A row with notes of other plugins, which are asked for when somebody reads the whole row: who reads single figures,
 * such as every ten seconds for {@code report failover}, needs none. Not thread-safe.
 */
final class NotedRow extends AbstractMap<String, Object> {
    private final Map<String, Object> figures;
    private final Supplier<Map<String, Object>> notes;
    private @Nullable Map<String, Object> all;

    NotedRow(Map<String, Object> figures, Supplier<Map<String, Object>> notes) {
        this.figures = figures;
        this.notes = notes;
    }

    private Map<String, Object> all() {
        Map<String, Object> row = all;
        if (row == null) {
            row = new LinkedHashMap<>(figures);
            row.putAll(notes.get());
            all = row;
        }
        return row;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return figures.containsKey(key) || all().containsKey(key);
    }

    @Override
    public @Nullable Object get(@Nullable Object key) {
        return figures.containsKey(key) ? figures.get(key) : all().get(key);
    }

    @Override
    public Set<Entry<String, Object>> entrySet() {
        return all().entrySet();
    }
}
