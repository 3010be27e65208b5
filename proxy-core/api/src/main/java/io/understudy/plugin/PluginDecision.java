package io.understudy.plugin;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a plugin would do with one statement: a part of {@code understudy explain}.
 *
 * @param fields for programs; a plugin has the same keys for every statement, and for an absent section too, and shares
 *     none with another plugin
 * @param lines for people
 */
public record PluginDecision(Map<String, @Nullable Object> fields, List<Line> lines) {
    /** Nothing to say. */
    public static final PluginDecision NONE = new PluginDecision(Map.of(), List.of());

    /**
     * A line of text.
     *
     * @param label a word, or empty for a line that goes on with the one before
     */
    public record Line(String label, String text) {}
}
