package io.understudy.config.bind;

import io.understudy.base.Durations;
import io.understudy.base.Sensitive;
import io.understudy.config.bind.problem.Suggestions;
import io.understudy.config.bind.yaml.CoreSchema;
import io.understudy.config.bind.yaml.YamlNode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Converts one scalar to one Java value. */
public final class Scalars {
    private Scalars() {}

    /** Returns whether values of this type are written as one scalar. */
    public static boolean handles(Class<?> type) {
        return type == String.class
                || type == Integer.class
                || type == Long.class
                || type == Double.class
                || type == Boolean.class
                || type == Duration.class
                || type == Path.class
                || type.isEnum()
                || parseMethod(type) != null;
    }

    /** Returns a value type's {@code public static parse(String)}, or null. */
    public static @Nullable Method parseMethod(Class<?> type) {
        try {
            Method method = type.getMethod("parse", String.class);
            return Modifier.isStatic(method.getModifiers())
                            && type.isAssignableFrom(method.getReturnType())
                            && type != Duration.class
                    ? method
                    : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /** Returns what is expected, in words that fit after "expected". */
    static String expected(Class<?> type) {
        if (type == String.class) {
            return "a text";
        } else if (type == Integer.class || type == Long.class) {
            return "an integer";
        } else if (type == Double.class) {
            return "a number";
        } else if (type == Boolean.class) {
            return "true or false";
        } else if (type == Duration.class) {
            return "a duration such as 5s";
        } else if (type == Path.class) {
            return "a file name";
        } else if (type.isEnum()) {
            return "one of " + String.join(", ", EnumNames.all(type));
        }
        String example = constant(type, "EXAMPLE");
        return example == null ? "a single value" : "a value such as " + example;
    }

    /**
     * Converts a scalar.
     *
     * @throws IllegalArgumentException saying what was expected and what was found
     */
    public static Object convert(YamlNode.Scalar scalar, Class<?> type, Path directory) {
        String text = scalar.value();
        boolean unquoted = scalar.plain() || scalar.substituted();
        if (type == String.class) {
            return text;
        } else if (type == Integer.class || type == Long.class) {
            return integer(scalar, type, unquoted);
        } else if (type == Double.class) {
            if (unquoted && CoreSchema.isNumber(text)) {
                double number = Double.parseDouble(text);
                if (Double.isFinite(number)) {
                    return number;
                }
            }
            throw unexpected(scalar, type, "");
        } else if (type == Boolean.class) {
            if (unquoted && (text.equals("true") || text.equals("false"))) {
                return Boolean.valueOf(text);
            }
            throw unexpected(scalar, type, "");
        } else if (type == Path.class) {
            try {
                if (text.isEmpty()) {
                    throw unexpected(scalar, type, "");
                }
                return directory.resolve(text).normalize();
            } catch (InvalidPathException e) {
                throw unexpected(scalar, type, "");
            }
        } else if (type.isEnum()) {
            Object constant = EnumNames.find(type, text);
            if (constant == null) {
                String nearest = scalar.substituted() ? null : Suggestions.nearest(text, EnumNames.all(type));
                throw unexpected(scalar, type, nearest == null ? "" : "; did you mean '" + nearest + "'?");
            }
            return constant;
        }
        return parsed(scalar, type);
    }

    private static Object integer(YamlNode.Scalar scalar, Class<?> type, boolean unquoted) {
        String text = scalar.value();
        if (unquoted && CoreSchema.isInteger(text)) {
            try {
                if (type == Long.class) {
                    return Long.valueOf(text);
                }
                return Integer.valueOf(text);
            } catch (NumberFormatException e) {
                throw unexpected(scalar, type, type == Long.class ? "" : " (at most " + Integer.MAX_VALUE + ")");
            }
        }
        throw unexpected(scalar, type, scalar.plain() || scalar.substituted() ? "" : "; remove the quotes");
    }

    private static Object parsed(YamlNode.Scalar scalar, Class<?> type) {
        try {
            if (type == Duration.class) {
                return Durations.parse(scalar.value());
            }
            Method method = parseMethod(type);
            if (method == null) {
                throw new IllegalStateException(type + " is neither a scalar type nor has it a parse(String)");
            }
            method.trySetAccessible();
            Object value = method.invoke(null, scalar.value());
            if (value == null) {
                throw unexpected(scalar, type, "");
            }
            return value;
        } catch (InvocationTargetException e) {
            throw refused(scalar, type, e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(type + ".parse(String) must be public, and so must be its class", e);
        } catch (IllegalArgumentException e) {
            throw refused(scalar, type, e);
        }
    }

    private static IllegalArgumentException refused(YamlNode.Scalar scalar, Class<?> type, @Nullable Throwable cause) {
        boolean sensitive = Sensitive.class.isAssignableFrom(type);
        if (!(cause instanceof IllegalArgumentException reason)
                || scalar.substituted()
                || sensitive
                || reason.getMessage() == null) {
            // The message may quote the value.
            return sensitive
                    ? new IllegalArgumentException("not a valid value (not shown)")
                    : unexpected(scalar, type, "");
        }
        return reason;
    }

    private static IllegalArgumentException unexpected(YamlNode.Scalar scalar, Class<?> type, String more) {
        return new IllegalArgumentException("expected " + expected(type) + " but found " + scalar.describe() + more);
    }

    /** Returns the value of a {@code public static final String} of a value type, or null. */
    public static @Nullable String constant(Class<?> type, String name) {
        try {
            return type.getField(name).get(null) instanceof String text ? text : null;
        } catch (NoSuchFieldException | IllegalAccessException | NullPointerException e) {
            return null;
        }
    }
}
