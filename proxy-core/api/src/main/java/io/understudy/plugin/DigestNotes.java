package io.understudy.plugin;

import io.understudy.base.RepeatedWarning;
import io.understudy.sql.StatementSummary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    private static final Logger log = LoggerFactory.getLogger(DigestNotes.class);

    private final RepeatedWarning failures = new RepeatedWarning(System::nanoTime);
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
                notes.put(key, figuresOf(key, figures, subject));
            }
        });
        return notes;
    }

    /** One plugin that fails leaves the list, and the others' figures, as they are. */
    private Map<String, Object> figuresOf(String key, Function<Subject, Map<String, Object>> figures, Subject subject) {
        try {
            return figures.apply(subject);
        } catch (RuntimeException | LinkageError e) {
            String digest = subject.summary().digestHex();
            long suppressed = failures.mayLog(key + e.getClass().getName());
            if (suppressed == 0) {
                log.error("the figures '{}' of digest {} in /api/digests failed; report it", key, digest, e);
            } else if (suppressed > 0) {
                log.error("the figures '{}' in /api/digests failed {} more times: {}", key, suppressed, e.toString());
            }
            return Map.of("error", "the figures '" + key + "' of this digest failed: " + e + "; see the log");
        }
    }

    @Override
    public void close() {
        functions.clear();
    }
}
