package io.understudy.config.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets a compact constructor reject several values at once: one line per problem, each starting with the component's
 * name or path, from which {@link RecordShape} finds the position. A message that quotes a value ends with it, after
 * "but found", so that it can be left out if it came from outside the document.
 */
public final class Checks {

    private final List<String> lines = new ArrayList<>();

    /** Rejects the value unless the condition holds. */
    public Checks that(boolean condition, String path, String message) {
        if (!condition) {
            lines.add(path + ": " + message);
        }
        return this;
    }

    /** Rejects an absent value. */
    public Checks required(@Nullable Object value, String path, String hint) {
        return that(value != null, path, "required: " + hint);
    }

    /** Returns whether a line of a record's message says that a key must not be absent. */
    static Predicate<String> required(String key) {
        return Pattern.compile(key + "(?::| is)? required\\b.*").asMatchPredicate();
    }

    /**
     * Ends the checks.
     *
     * @throws IllegalArgumentException with one line for each rejected value, if there is any
     */
    public void done() {
        if (!lines.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", lines));
        }
    }

    /** Returns the lines so far, for warnings. */
    public List<String> lines() {
        return List.copyOf(lines);
    }
}
