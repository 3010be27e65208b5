package io.understudy.plugin;

import io.understudy.sql.StatementSummary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What plugins know about digests beside the one that lists them at {@code /api/digests}. Each plugin may add one
 * function; those are called when the list is asked for. Shared by {@link PluginContext#shared}. Thread-safe.
 */
public final class DigestNotes implements AutoCloseable {

    /**
     * A digest.
     *
     * @param users some of those that executed it
     * @param schemas some of the default schemas in which it was executed
     * @param normalized its normalised text, or null when that is not known
     */
    public record Subject(
            StatementSummary summary,
            List<String> users,
            List<String> schemas,
            @Nullable String normalized) {}

    private final ConcurrentMap<String, Function<Subject, Map<String, Object>>> functions = new ConcurrentHashMap<>();

    /**
     * Adds a plugin's figures to each digest.
     *
     * @param key of the figures among the digest's
     */
    public void add(String key, Function<Subject, Map<String, Object>> figures) {
        functions.put(key, figures);
    }

    /** Removes a plugin's figures. */
    public void remove(String key) {
        functions.remove(key);
    }

    /** Returns what the plugins know about a digest. */
    public Map<String, Object> of(Subject subject) {
        Map<String, Object> notes = new LinkedHashMap<>();
        functions.keySet().stream().sorted().forEach(key -> {
            Function<Subject, Map<String, Object>> figures = functions.get(key);
            if (figures != null) {
                notes.put(key, figures.apply(subject));
            }
        });
        return notes;
    }

    @Override
    public void close() {
        functions.clear();
    }
}
