package io.understudy.config.bind.schema;

import io.understudy.base.Durations;
import io.understudy.base.Sensitive;
import io.understudy.config.bind.Binder;
import io.understudy.config.bind.EnumNames;
import io.understudy.config.bind.Scalars;
import io.understudy.config.bind.problem.Position;
import io.understudy.config.bind.yaml.YamlNode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A record's defaults and required keys. Defaults are learned by constructing it from nulls, required keys from the
 * lines {@code name: required…} of its exception. To learn the defaults beside a required key, that key gets a sample
 * value.
 */
final class Defaults {

    private static final Pattern REQUIRED = Pattern.compile("([A-Za-z][A-Za-z0-9_]*)(?::| is)? required\\b.*");

    private final Set<String> required = new HashSet<>();
    private final @Nullable Object instance;

    private Defaults(Class<?> type) {
        this.instance = build(type);
    }

    static Defaults of(Class<?> type) {
        return new Defaults(type);
    }

    Set<String> required() {
        return required;
    }

    /** Returns a component's default as it would be written in a file, or null if it has none to show. */
    @Nullable
    Object of(RecordComponent component) {
        if (instance == null || required.contains(component.getName())) {
            return null;
        }
        return written(component(component, instance));
    }

    private @Nullable Object build(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        @Nullable Object[] arguments = new Object[components.length];
        // At most one round per required key: a constructor may name one at a time.
        for (int round = 0; round <= components.length; round++) {
            try {
                return Binder.canonical(type).newInstance(arguments);
            } catch (InvocationTargetException e) {
                if (!learn(e.getCause(), components, arguments)) {
                    return null;
                }
            } catch (ReflectiveOperationException | IllegalArgumentException e) {
                return null;
            }
        }
        return null;
    }

    private boolean learn(@Nullable Throwable refusal, RecordComponent[] components, @Nullable Object[] arguments) {
        boolean learned = false;
        if (refusal instanceof IllegalArgumentException && refusal.getMessage() != null) {
            for (String line : refusal.getMessage().lines().toList()) {
                Matcher matcher = REQUIRED.matcher(line);
                if (matcher.matches()) {
                    for (int i = 0; i < components.length; i++) {
                        if (components[i].getName().equals(matcher.group(1)) && required.add(matcher.group(1))) {
                            arguments[i] = sample(components[i].getType());
                            learned |= arguments[i] != null;
                        }
                    }
                }
            }
        }
        return learned;
    }

    private static @Nullable Object sample(Class<?> type) {
        if (type == List.class) {
            return List.of();
        } else if (type == Integer.class) {
            return 1;
        } else if (type == Duration.class) {
            return Duration.ofSeconds(1);
        } else if (type.isRecord() && Scalars.parseMethod(type) == null) {
            return Defaults.of(type).instance;
        }
        String example = Scalars.constant(type, "EXAMPLE");
        String text = type == String.class || example == null ? "sample" : example;
        try {
            return Scalars.convert(
                    new YamlNode.Scalar(Position.START, text, text, true, false, false, 1), type, Path.of(""));
        } catch (IllegalArgumentException | IllegalStateException e) {
            return null;
        }
    }

    static @Nullable Object component(RecordComponent component, Object record) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    private static @Nullable Object written(@Nullable Object value) {
        if (value == null || value instanceof Sensitive || (value instanceof Record && !isValueType(value))) {
            return null;
        } else if (value instanceof Duration duration) {
            return Durations.format(duration);
        } else if (value instanceof Enum<?> constant) {
            return EnumNames.canonical(constant);
        } else if (value instanceof Number || value instanceof Boolean) {
            return value;
        } else if (value instanceof List<?> list) {
            List<Object> items = new ArrayList<>();
            for (Object item : list) {
                Object text = written(item);
                if (text == null) {
                    return null;
                }
                items.add(text);
            }
            return items;
        }
        if (isValueType(value)) {
            return readsBack(value) ? value.toString() : null;
        }
        return value instanceof Map ? null : value.toString();
    }

    /** A value type whose text cannot be parsed back would show a default that nobody can write. */
    private static boolean readsBack(Object value) {
        String text = value.toString();
        YamlNode.Scalar scalar = new YamlNode.Scalar(Position.START, text, text, true, false, false, 1);
        try {
            return Scalars.convert(scalar, value.getClass(), Path.of("")).equals(value);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isValueType(Object value) {
        return Scalars.parseMethod(value.getClass()) != null;
    }
}
