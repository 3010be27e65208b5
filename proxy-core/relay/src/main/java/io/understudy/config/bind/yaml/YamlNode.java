package io.understudy.config.bind.yaml;

import io.understudy.config.bind.problem.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value of a document with its position. Immutable. Substitutions are already done; duplicate keys are already
 * reported and dropped.
 */
public sealed interface YamlNode {
    /** Returns where the value starts. */
    Position position();

    /** Returns what the value is, in words that fit after "found". Shows no scalar that came from a substitution. */
    String describe();

    /** Returns whether this value, or one within it, contains a substitution. */
    boolean comesFromOutside();

    /** Returns whether this is an empty value, {@code ~} or {@code null}. */
    default boolean isNull() {
        return false;
    }

    /**
     * A single value.
     *
     * @param raw the text as written
     * @param value the text after substitution
     * @param plain whether it was written without quotes
     * @param substituted whether a part of the value came from outside the document
     * @param failed whether a substitution in it failed, which has been reported
     * @param lastLine the last line that the value covers
     */
    record Scalar(
            Position position,
            String raw,
            String value,
            boolean plain,
            boolean substituted,
            boolean failed,
            int lastLine)
            implements YamlNode {

        private static final int SHOWN = 60;

        @Override
        public boolean comesFromOutside() {
            return substituted;
        }

        @Override
        public boolean isNull() {
            return plain && !substituted && (raw.isEmpty() || raw.equals("~") || raw.equalsIgnoreCase("null"));
        }

        @Override
        public String describe() {
            if (isNull()) {
                return "nothing";
            }
            if (substituted) {
                return "what " + quote(raw) + " stands for (not shown)";
            }
            return (plain ? "" : "the string ") + quote(raw);
        }

        private static String quote(String text) {
            String line = text.replace("\n", "\\n").replace("\r", "\\r");
            return line.length() <= SHOWN ? "'" + line + "'" : "'" + line.substring(0, SHOWN) + "…'";
        }

        /** Without the text, which may be a secret. */
        @Override
        public String toString() {
            return "scalar at " + position;
        }
    }

    /** A list. */
    record Sequence(Position position, List<YamlNode> items) implements YamlNode {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public boolean comesFromOutside() {
            return items.stream().anyMatch(YamlNode::comesFromOutside);
        }

        @Override
        public String describe() {
            return "a list";
        }
    }

    /** Keys and values in the document's order. */
    record Mapping(Position position, List<Entry> entries) implements YamlNode {
        public Mapping {
            entries = List.copyOf(entries);
        }

        @Override
        public boolean comesFromOutside() {
            return entries.stream().anyMatch(entry -> entry.value().comesFromOutside());
        }

        /** Returns the value of a key, or null if the key is absent. */
        public @Nullable YamlNode get(String key) {
            for (Entry entry : entries) {
                if (entry.key().equals(key)) {
                    return entry.value();
                }
            }
            return null;
        }

        /** Returns the mapping without one of its keys. */
        public Mapping without(String key) {
            return new Mapping(
                    position, entries.stream().filter(e -> !e.key().equals(key)).toList());
        }

        @Override
        public String describe() {
            return "a mapping";
        }
    }

    /** One key with its value. */
    record Entry(Position keyPosition, String key, YamlNode value) {}
}
