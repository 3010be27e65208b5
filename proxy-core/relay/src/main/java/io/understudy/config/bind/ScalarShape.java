package io.understudy.config.bind;

import io.understudy.base.Durations;
import io.understudy.base.Sensitive;
import io.understudy.config.bind.problem.Position;
import io.understudy.config.bind.problem.Suggestions;
import io.understudy.config.bind.yaml.YamlNode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A type that is written as one scalar. A value type brings {@code public static parse(String)}, and for people and
 * editors the constants {@code EXAMPLE} and {@code PATTERN}.
 *
 * @param expected what is expected, in words that fit after "expected"
 * @param example a text that can be converted
 * @param conversion returns the value; null, or an exception with a better message, if the text is not one
 */
public record ScalarShape(
        Class<?> type, String expected, String example, Map<String, Object> schema, Conversion conversion)
        implements Shape {

    /** What schemas refer to, for {@code $defs}. */
    public static final Map<String, Object> SUBSTITUTED = Map.of(
            "substituted",
            Shape.ordered(
                    "description",
                    "A value from an environment variable or a file.",
                    "type",
                    "string",
                    "pattern",
                    "\\$\\{(env|file):[^}]+\\}"));

    /** As in YAML's core schema. */
    private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]{1,19}");

    private static final Pattern NUMBER = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");

    /** The binder takes the text of any scalar: an unquoted 1234 may be a name or a password. */
    private static final Map<String, Object> ANY_TEXT = Shape.ordered("type", List.of("string", "number", "boolean"));

    /** Makes a value of a text. */
    @FunctionalInterface
    public interface Conversion {
        /** Returns the value, or null if the text is not one. */
        @Nullable
        Object of(YamlNode.Scalar scalar, Path directory);
    }

    /** Returns the shape of a type, or null if a value of it is not written as one scalar. */
    static @Nullable ScalarShape of(Class<?> type) {
        if (type == String.class) {
            return new ScalarShape(type, "a text", "sample", ANY_TEXT, (scalar, in) -> scalar.value());
        } else if (type == Integer.class) {
            return plain(
                    type,
                    "an integer",
                    Shape.ordered("type", "integer", "minimum", Integer.MIN_VALUE, "maximum", Integer.MAX_VALUE),
                    text -> INTEGER.matcher(text).matches() ? Integer.valueOf(text) : null);
        } else if (type == Long.class) {
            return plain(
                    type,
                    "an integer",
                    Shape.ordered("type", "integer"),
                    text -> INTEGER.matcher(text).matches() ? Long.valueOf(text) : null);
        } else if (type == Double.class) {
            return plain(type, "a number", Shape.ordered("type", "number"), ScalarShape::number);
        } else if (type == Boolean.class) {
            return plain(
                    type,
                    "true or false",
                    Shape.ordered("type", "boolean"),
                    text -> text.equals("true") || text.equals("false") ? Boolean.valueOf(text) : null);
        } else if (type == Duration.class) {
            return new ScalarShape(
                    type,
                    "a duration such as 5s",
                    "1s",
                    orSubstituted(Shape.ordered("type", "string", "pattern", Durations.PATTERN)),
                    (scalar, in) -> Durations.parse(scalar.value()));
        } else if (type == Path.class) {
            return new ScalarShape(
                    type,
                    "a file name",
                    "sample",
                    Shape.ordered("type", "string", "minLength", 1),
                    (scalar, in) -> file(scalar.value(), in));
        } else if (type.isEnum()) {
            List<String> names = names(type);
            return new ScalarShape(
                    type,
                    "one of " + String.join(", ", names),
                    names.get(0),
                    orSubstituted(Shape.ordered("enum", names)),
                    (scalar, in) -> find(type, scalar.value()));
        }
        Method parse = parseMethod(type);
        return parse == null ? null : valueType(type, parse);
    }

    /** A type whose values are not quoted in YAML. */
    private static ScalarShape plain(
            Class<?> type, String expected, Map<String, Object> schema, Function<String, @Nullable Object> parse) {
        return new ScalarShape(type, expected, "1", orSubstituted(schema), (scalar, in) -> unquoted(scalar, parse));
    }

    private static @Nullable Object unquoted(YamlNode.Scalar scalar, Function<String, @Nullable Object> parse) {
        try {
            return scalar.plain() || scalar.substituted() ? parse.apply(scalar.value()) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Object number(String text) {
        double number = NUMBER.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
        return Double.isFinite(number) ? number : null;
    }

    private static @Nullable Object file(String text, Path directory) {
        try {
            return text.isEmpty() ? null : directory.resolve(text).normalize();
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static ScalarShape valueType(Class<?> type, Method parse) {
        String example = constant(type, "EXAMPLE");
        String pattern = Sensitive.class.isAssignableFrom(type) ? null : constant(type, "PATTERN");
        Map<String, Object> schema = ANY_TEXT;
        if (pattern != null) {
            // In JSON an unquoted number is not a string, so the pattern does not apply to it.
            boolean numbers = Pattern.compile(pattern).matcher("7").find();
            schema = Shape.ordered("type", numbers ? List.of("string", "number") : "string", "pattern", pattern);
            if (example != null) {
                schema.put("examples", List.of(example));
            }
            schema = orSubstituted(schema);
        }
        return new ScalarShape(
                type,
                example == null ? "a single value" : "a value such as " + example,
                example == null ? "sample" : example,
                schema,
                (scalar, in) -> parsed(parse, scalar.value()));
    }

    private static @Nullable Object parsed(Method parse, String text) {
        try {
            parse.trySetAccessible();
            return parse.invoke(null, text);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException reason) {
                throw reason;
            }
            return null;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(parse + " must be public, and so must be its class", e);
        }
    }

    private static @Nullable Method parseMethod(Class<?> type) {
        try {
            Method method = type.getMethod("parse", String.class);
            return Modifier.isStatic(method.getModifiers()) && type.isAssignableFrom(method.getReturnType())
                    ? method
                    : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static @Nullable String constant(Class<?> type, String name) {
        try {
            return type.getField(name).get(null) instanceof String text ? text : null;
        } catch (NoSuchFieldException | IllegalAccessException | NullPointerException e) {
            return null;
        }
    }

    private static Map<String, Object> orSubstituted(Map<String, Object> schema) {
        return Shape.ordered("anyOf", List.of(schema, Map.of("$ref", "#/$defs/substituted")));
    }

    @Override
    public Object bind(YamlNode node, String path, Binder binder) {
        if (!(node instanceof YamlNode.Scalar scalar) || node.isNull()) {
            return binder.unexpected(node, expected, path);
        }
        if (isSensitive()) {
            binder.problems().source().hide(scalar.position(), scalar.lastLine());
        }
        try {
            return convert(scalar, binder.directory());
        } catch (IllegalArgumentException e) {
            binder.problems().error(node.position(), path, String.valueOf(e.getMessage()));
            return Binder.FAILED;
        }
    }

    private Object convert(YamlNode.Scalar scalar, Path directory) {
        String reason = null;
        try {
            Object value = conversion.of(scalar, directory);
            if (value != null) {
                return value;
            }
        } catch (IllegalArgumentException e) {
            reason = e.getMessage();
        }
        if (isSensitive()) {
            throw new IllegalArgumentException("not a valid value (not shown)");
        }
        // The reason may quote the value.
        throw new IllegalArgumentException(
                reason != null && !scalar.substituted()
                        ? reason
                        : "expected " + expected + " but found " + scalar.describe() + hint(scalar));
    }

    private String hint(YamlNode.Scalar scalar) {
        if (type == Integer.class || type == Long.class) {
            if (!scalar.plain() && !scalar.substituted()) {
                return "; remove the quotes";
            }
            return type == Integer.class && INTEGER.matcher(scalar.value()).matches()
                    ? " (at most " + Integer.MAX_VALUE + ")"
                    : "";
        }
        String nearest =
                type.isEnum() && !scalar.substituted() ? Suggestions.nearest(scalar.value(), names(type)) : null;
        return nearest == null ? "" : "; did you mean '" + nearest + "'?";
    }

    /** Returns the value of a text without quotes, or null if it is not one. */
    @Nullable
    Object read(String text) {
        try {
            return convert(new YamlNode.Scalar(Position.START, text, text, true, false, false, 1), Path.of(""));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** A default whose text cannot be read back is not shown: nobody could write it. */
    @Override
    public @Nullable Object written(Object value) {
        if (value instanceof Number || value instanceof Boolean) {
            return value;
        }
        return !isSensitive() && value.equals(read(show(value))) ? show(value) : null;
    }

    @Override
    public String show(Object value) {
        if (value instanceof Duration duration) {
            return Durations.format(duration);
        }
        return value instanceof Enum<?> constant ? canonical(constant) : value.toString();
    }

    private boolean isSensitive() {
        return Sensitive.class.isAssignableFrom(type);
    }

    /** Returns an enum constant as spelt in a document: lower case, - for _, unless toString differs. */
    private static String canonical(Enum<?> constant) {
        String text = constant.toString();
        return text.equals(constant.name()) ? text.toLowerCase(Locale.ROOT).replace('_', '-') : text;
    }

    private static List<String> names(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(c -> canonical((Enum<?>) c))
                .toList();
    }

    /**
     * Returns the constant for a spelling, ignoring case and the difference between {@code -} and {@code _}; null for
     * none.
     */
    private static @Nullable Object find(Class<?> type, String text) {
        String folded = fold(text);
        for (Object constant : type.getEnumConstants()) {
            if (fold(canonical((Enum<?>) constant)).equals(folded)) {
                return constant;
            }
        }
        return null;
    }

    private static String fold(String text) {
        return text.toLowerCase(Locale.ROOT).replace('-', '_');
    }
}
