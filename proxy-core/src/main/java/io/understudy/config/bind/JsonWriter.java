package io.understudy.config.bind;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Maps, lists, strings, numbers, booleans and null as indented JSON, in the order given. */
public final class JsonWriter {

    private final StringBuilder out = new StringBuilder();

    private JsonWriter() {}

    /** The JSON text of a value, with a newline at its end. */
    public static String write(Object value) {
        JsonWriter writer = new JsonWriter();
        writer.value(value, 0);
        return writer.out.append('\n').toString();
    }

    private void value(@Nullable Object value, int depth) {
        if (value instanceof Map<?, ?> map) {
            map(map, depth);
        } else if (value instanceof List<?> list) {
            list(list, depth);
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            string(value.toString());
        }
    }

    private void map(Map<?, ?> map, int depth) {
        if (map.isEmpty()) {
            out.append("{}");
            return;
        }
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            newline(depth + 1);
            string(String.valueOf(entry.getKey()));
            out.append(": ");
            value(entry.getValue(), depth + 1);
            separator = ",";
        }
        newline(depth);
        out.append('}');
    }

    private void list(List<?> list, int depth) {
        if (list.isEmpty()) {
            out.append("[]");
            return;
        }
        String separator = "[";
        for (Object item : list) {
            out.append(separator);
            newline(depth + 1);
            value(item, depth + 1);
            separator = ",";
        }
        newline(depth);
        out.append(']');
    }

    private void newline(int depth) {
        out.append('\n').append("  ".repeat(depth));
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c == '\n') {
                out.append("\\n");
            } else if (c == '\t') {
                out.append("\\t");
            } else if (c < ' ' || (Character.isSurrogate(c) && !paired(text, i))) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private static boolean paired(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
}
