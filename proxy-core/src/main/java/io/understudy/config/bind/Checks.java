package io.understudy.config.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets a compact constructor refuse several values at once: one line per problem, each with the component's name or path in
 * front, which is the form in which {@link Binder} finds the position. A message that quotes a value ends with it, behind
 * "but found": there it is left out when it came from outside of the document.
 */
public final class Checks {

    private final List<String> lines = new ArrayList<>();

    /** Refuses when the condition does not hold. */
    public Checks that(boolean condition, String path, String message) {
        if (!condition) {
            lines.add(path + ": " + message);
        }
        return this;
    }

    /** Refuses an absent value. The word "required" is what the schema generator looks for. */
    public Checks required(@Nullable Object value, String path, String hint) {
        return that(value != null, path, "required: " + hint);
    }

    /**
     * Ends the checks.
     *
     * @throws IllegalArgumentException with one line for each refusal, if there was any
     */
    public void done() {
        if (!lines.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", lines));
        }
    }

    /** The lines so far, for warnings. */
    public List<String> lines() {
        return List.copyOf(lines);
    }
}
