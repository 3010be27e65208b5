package io.understudy.cli.json;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes plain values as JSON: maps, iterables, arrays, records (by component name), strings, numbers, booleans, and
 * anything else as its {@code toString}. Numbers that JSON does not know (NaN, infinite) become {@code null}. Depth and
 * length are bounded, so that a view with a loop in it fails instead of filling the memory.
 */
public final class JsonWriter {

    static final int MAX_DEPTH = 32;
    static final int MAX_LENGTH = 16 << 20;

    private static final ClassValue<RecordComponent[]> COMPONENTS = new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            // A public accessor of a record that is not public is out of reach without this.
            Arrays.stream(components)
                    .forEach(component -> component.getAccessor().setAccessible(true));
            return components;
        }
    };

    private final StringBuilder out;

    private JsonWriter(StringBuilder out) {
        this.out = out;
    }

    /**
     * @throws IllegalStateException if the value is nested deeper than {@link #MAX_DEPTH} or longer than
     *     {@link #MAX_LENGTH} characters
     */
    public static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder(1024);
        new JsonWriter(out).value(value, 0);
        return out.toString();
    }

    private void value(@Nullable Object value, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalStateException("the value is nested deeper than " + MAX_DEPTH + " levels");
        }
        if (out.length() > MAX_LENGTH) {
            throw new IllegalStateException("the value is longer than " + MAX_LENGTH + " characters");
        }
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof Map<?, ?> map) {
            map(map, depth);
        } else if (value instanceof Iterable<?> iterable && !(value instanceof java.nio.file.Path)) {
            array(iterable.iterator(), depth);
        } else if (value instanceof Record) {
            fields(value, depth);
        } else if (value instanceof Optional<?> optional) {
            value(optional.orElse(null), depth);
        } else if (value.getClass().isArray()) {
            array(value, depth);
        } else {
            string(value.toString());
        }
    }

    private void number(Number number) {
        boolean unknownToJson =
                !Double.isFinite(number.doubleValue()) && (number instanceof Double || number instanceof Float);
        out.append(unknownToJson ? "null" : number.toString());
    }

    private void map(Map<?, ?> map, int depth) {
        char before = '{';
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(before);
            string(String.valueOf(entry.getKey()));
            out.append(':');
            value(entry.getValue(), depth + 1);
            before = ',';
        }
        out.append(before == '{' ? "{}" : "}");
    }

    private void fields(Object entity, int depth) {
        char before = '{';
        for (RecordComponent component : COMPONENTS.get(entity.getClass())) {
            out.append(before);
            string(component.getName());
            out.append(':');
            value(read(component, entity), depth + 1);
            before = ',';
        }
        out.append(before == '{' ? "{}" : "}");
    }

    private static @Nullable Object read(RecordComponent component, Object entity) {
        try {
            return component.getAccessor().invoke(entity);
        } catch (InvocationTargetException | IllegalAccessException e) {
            throw new IllegalStateException("cannot read " + component.getName() + " of " + entity.getClass(), e);
        }
    }

    private void array(Iterator<?> elements, int depth) {
        char before = '[';
        while (elements.hasNext()) {
            out.append(before);
            value(elements.next(), depth + 1);
            before = ',';
        }
        out.append(before == '[' ? "[]" : "]");
    }

    private void array(Object array, int depth) {
        int length = Array.getLength(array);
        for (int i = 0; i < length; i++) {
            out.append(i == 0 ? '[' : ',');
            value(Array.get(array, i), depth + 1);
        }
        out.append(length == 0 ? "[]" : "]");
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    // Lone surrogates have no UTF-8; the two separators end a line in older JavaScript; '<' ends a
                    // script.
                    if (c < 0x20 || c == '<' || c == '\u2028' || c == '\u2029' || isLone(text, i)) {
                        out.append("\\u").append(String.format("%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private static boolean isLone(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }
}
