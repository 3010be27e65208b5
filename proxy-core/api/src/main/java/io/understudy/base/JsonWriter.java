package io.understudy.base;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes plain values as JSON: maps, iterables, arrays, records (by component name), strings, numbers, booleans, and
 * anything else as its {@code toString}. NaN and infinite numbers become {@code null}. Depth and length are bounded, so
 * that a cyclic view fails instead of filling the memory.
 */
public final class JsonWriter {
    static final int MAX_DEPTH = 32;
    static final int MAX_LENGTH = 16 << 20;

    private static final JsonFactory JSON = new JsonFactory();
    private static final CharacterEscapes SCRIPT_SAFE = new ScriptSafe();

    private static final ClassValue<RecordComponent[]> COMPONENTS = new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            // Otherwise a public accessor of a non-public record is inaccessible.
            Arrays.stream(components)
                    .forEach(component -> component.getAccessor().setAccessible(true));
            return components;
        }
    };

    private final StringWriter out = new StringWriter(1024);
    private final JsonGenerator json;

    private JsonWriter() throws IOException {
        json = JSON.createGenerator(out);
        json.setCharacterEscapes(SCRIPT_SAFE);
    }

    /**
     * Writes a value in one line.
     *
     * @throws IllegalStateException if the value is nested deeper than {@link #MAX_DEPTH} or longer than
     *     {@link #MAX_LENGTH} characters
     */
    public static String write(@Nullable Object value) {
        return write(value, false);
    }

    /** Writes a value in indented lines, ending with a newline. */
    public static String writeIndented(@Nullable Object value) {
        return write(value, true) + "\n";
    }

    private static String write(@Nullable Object value, boolean indented) {
        try {
            JsonWriter writer = new JsonWriter();
            if (indented) {
                writer.json.setPrettyPrinter(printer());
            }
            writer.value(value, 0);
            writer.json.flush();
            return writer.out.toString();
        } catch (IOException e) {
            throw new IllegalStateException("cannot write the value as JSON: " + e.getMessage(), e);
        }
    }

    private static DefaultPrettyPrinter printer() {
        Separators separators = Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator("");
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        return new DefaultPrettyPrinter(separators).withObjectIndenter(lines).withArrayIndenter(lines);
    }

    private void value(@Nullable Object value, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new IllegalStateException("the value is nested deeper than " + MAX_DEPTH + " levels");
        }
        if (out.getBuffer().length() > MAX_LENGTH) {
            throw new IllegalStateException("the value is longer than " + MAX_LENGTH + " characters");
        }
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof Map<?, ?> map) {
            map(map, depth);
        } else if (value instanceof Iterable<?> iterable && !(value instanceof Path)) {
            json.writeStartArray();
            for (Object element : iterable) {
                value(element, depth + 1);
            }
            json.writeEndArray();
        } else if (value instanceof Record) {
            fields(value, depth);
        } else if (value instanceof Optional<?> optional) {
            value(optional.orElse(null), depth);
        } else if (value.getClass().isArray()) {
            array(value, depth);
        } else {
            json.writeString(wellFormed(value.toString()));
        }
    }

    private void number(Number number) throws IOException {
        boolean unknownToJson =
                !Double.isFinite(number.doubleValue()) && (number instanceof Double || number instanceof Float);
        if (unknownToJson) {
            json.writeNull();
        } else {
            json.writeNumber(number.toString());
        }
    }

    private void map(Map<?, ?> map, int depth) throws IOException {
        json.writeStartObject();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            json.writeFieldName(wellFormed(String.valueOf(entry.getKey())));
            value(entry.getValue(), depth + 1);
        }
        json.writeEndObject();
    }

    private void fields(Object entity, int depth) throws IOException {
        json.writeStartObject();
        for (RecordComponent component : COMPONENTS.get(entity.getClass())) {
            json.writeFieldName(component.getName());
            value(read(component, entity), depth + 1);
        }
        json.writeEndObject();
    }

    private static @Nullable Object read(RecordComponent component, Object entity) {
        try {
            return component.getAccessor().invoke(entity);
        } catch (InvocationTargetException | IllegalAccessException e) {
            throw new IllegalStateException("cannot read " + component.getName() + " of " + entity.getClass(), e);
        }
    }

    private void array(Object array, int depth) throws IOException {
        int length = Array.getLength(array);
        json.writeStartArray();
        for (int i = 0; i < length; i++) {
            value(Array.get(array, i), depth + 1);
        }
        json.writeEndArray();
    }

    /** Half a surrogate pair, as in a text cut between the two, has no UTF-8 form. */
    private static String wellFormed(String text) {
        if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            return text;
        }
        int[] points = text.codePoints()
                .map(point -> Character.getType(point) == Character.SURROGATE ? 0xFFFD : point)
                .toArray();
        return new String(points, 0, points.length);
    }

    /** A '<' may end a script, and two separators end a line in older JavaScript. */
    private static final class ScriptSafe extends CharacterEscapes {
        private static final long serialVersionUID = 1;

        private final int[] ascii = standardAsciiEscapesForJSON();

        private ScriptSafe() {
            ascii['<'] = ESCAPE_STANDARD;
        }

        @Override
        public int[] getEscapeCodesForAscii() {
            return ascii;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int c) {
            return c == '\u2028' || c == '\u2029' ? new SerializedString(String.format("\\u%04X", c)) : null;
        }
    }
}
