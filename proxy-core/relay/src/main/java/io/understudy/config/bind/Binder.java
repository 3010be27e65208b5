package io.understudy.config.bind;

import io.understudy.base.HasWarnings;
import io.understudy.base.RemovedKey;
import io.understudy.base.Sensitive;
import io.understudy.config.bind.problem.Problems;
import io.understudy.config.bind.problem.Suggestions;
import io.understudy.config.bind.yaml.YamlNode;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Binds nodes to records by the names of their components. An absent key is passed as null, and the record's compact
 * constructor sets the default or throws; the lines of its message become problems at the keys that they name.
 */
public final class Binder {

    /** A value that could not be bound; the problem is already reported. */
    private static final Object FAILED = new Object();

    /** Text that precedes a value quoted by a record; see {@link Checks}. */
    private static final Pattern QUOTE = Pattern.compile(" but (?:found|is) ");

    private final Problems problems;
    private final Path directory;

    Binder(Problems problems, Path directory) {
        this.problems = problems;
        this.directory = directory;
    }

    /** Returns the record, or null if something in it is invalid. */
    <R extends Record> @Nullable R bind(YamlNode node, Class<R> type, String path) {
        Object value = node.isNull()
                ? record(new YamlNode.Mapping(node.position(), List.of()), type, path)
                : value(node, type, path);
        return value == FAILED ? null : type.cast(value);
    }

    private Object value(YamlNode node, Type type, String path) {
        if (type instanceof ParameterizedType generic) {
            if (generic.getRawType() == List.class) {
                return list(node, generic.getActualTypeArguments()[0], path);
            }
            if (generic.getRawType() == Map.class && generic.getActualTypeArguments()[0] == String.class) {
                return map(node, generic.getActualTypeArguments()[1], path);
            }
        }
        if (!(type instanceof Class<?> plain)) {
            throw new IllegalStateException(path + " has a type that cannot be configured: " + type);
        }
        if (node instanceof YamlNode.Scalar scalar && scalar.failed()) {
            return FAILED;
        }
        if (plain == YamlNode.class) {
            return node;
        } else if (plain == RawSection.class) {
            return rawSection(node, path);
        } else if (plain == Object.class) {
            Object value = node.toJava();
            return value == null ? unexpected(node, "a value", path) : value;
        } else if (node instanceof YamlNode.Mapping mapping && plain.isAnnotationPresent(MappingToo.class)) {
            return record(mapping, plain, path);
        } else if (Scalars.handles(plain)) {
            return scalar(node, plain, path);
        } else if (plain.isRecord()) {
            return node instanceof YamlNode.Mapping mapping
                    ? record(mapping, plain, path)
                    : unexpected(node, "a mapping with the keys " + String.join(", ", keys(plain)), path);
        }
        throw new IllegalStateException(path + " has a type that cannot be configured: " + plain.getName());
    }

    private Object rawSection(YamlNode node, String path) {
        if (node instanceof YamlNode.Mapping || node.isNull()) {
            return new RawSection(node, path, this, problems);
        }
        return unexpected(node, "a mapping", path);
    }

    private Object scalar(YamlNode node, Class<?> type, String path) {
        if (!(node instanceof YamlNode.Scalar scalar) || node.isNull()) {
            return unexpected(node, Scalars.expected(type), path);
        }
        if (Sensitive.class.isAssignableFrom(type)) {
            problems.source().hide(scalar.position(), scalar.lastLine());
        }
        try {
            return Scalars.convert(scalar, type, directory);
        } catch (IllegalArgumentException e) {
            problems.error(node.position(), path, String.valueOf(e.getMessage()));
            return FAILED;
        }
    }

    private Object list(YamlNode node, Type itemType, String path) {
        if (!(node instanceof YamlNode.Sequence sequence)) {
            Object only = value(node, itemType, path);
            return only == FAILED ? FAILED : List.of(only);
        }
        List<Object> items = new ArrayList<>();
        boolean failed = false;
        for (int i = 0; i < sequence.items().size(); i++) {
            Object item = value(sequence.items().get(i), itemType, path + "[" + i + "]");
            failed |= item == FAILED;
            items.add(item);
        }
        return failed ? FAILED : List.copyOf(items);
    }

    private Object map(YamlNode node, Type valueType, String path) {
        if (!(node instanceof YamlNode.Mapping mapping)) {
            return unexpected(node, "a mapping", path);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        boolean failed = false;
        for (YamlNode.Entry entry : mapping.entries()) {
            Object value = value(entry.value(), valueType, join(path, entry.key()));
            failed |= value == FAILED;
            map.put(entry.key(), value);
        }
        return failed ? FAILED : Collections.unmodifiableMap(map);
    }

    private Object record(YamlNode.Mapping mapping, Class<?> type, String path) {
        RecordComponent[] components = type.getRecordComponents();
        @Nullable Object[] arguments = new Object[components.length];
        Set<String> broken = unknownKeys(mapping, type, path);
        for (int i = 0; i < components.length; i++) {
            String name = components[i].getName();
            YamlNode node = mapping.get(name);
            if (node == null || (node.isNull() && components[i].getType() != YamlNode.class)) {
                continue;
            }
            Object value = value(node, components[i].getGenericType(), join(path, name));
            if (value == FAILED) {
                broken.add(name);
            } else {
                arguments[i] = value;
            }
        }
        Object record = construct(mapping, type, arguments, path, broken);
        if (!broken.isEmpty()) {
            return FAILED;
        }
        if (record instanceof HasWarnings warns) {
            for (String line : warns.warnings()) {
                RecordProblem refusal = RecordProblem.of(line, mapping, keys(type), path);
                problems.warning(refusal.position(), refusal.path(), refusal.message());
            }
        }
        return record;
    }

    /**
     * Reports unknown keys; returns the known keys that were probably meant, so that they are not also reported as
     * missing.
     */
    private Set<String> unknownKeys(YamlNode.Mapping mapping, Class<?> type, String path) {
        List<String> keys = keys(type);
        List<String> absent = keys.stream().filter(k -> mapping.get(k) == null).toList();
        Set<String> meant = new HashSet<>();
        for (YamlNode.Entry entry : mapping.entries()) {
            if (keys.contains(entry.key())) {
                continue;
            }
            Optional<RemovedKey> removed = Arrays.stream(type.getAnnotationsByType(RemovedKey.class))
                    .filter(key -> key.name().equals(entry.key()))
                    .findFirst();
            if (removed.isPresent()) {
                hideMisplaced(entry, type, null);
                problems.error(
                        entry.keyPosition(),
                        path,
                        "'" + entry.key() + "' was removed: " + removed.get().why());
                continue;
            }
            String nearest = Suggestions.nearest(entry.key(), absent);
            if (nearest != null) {
                meant.add(nearest);
            }
            hideMisplaced(entry, type, nearest);
            problems.error(
                    entry.keyPosition(),
                    path,
                    "unknown key '" + entry.key() + "'"
                            + Suggestions.hint(entry.key(), nearest != null ? absent : keys));
        }
        return meant;
    }

    /** Shows the value of an unknown key only if the key that was meant is known not to be a secret. */
    private void hideMisplaced(YamlNode.Entry entry, Class<?> type, @Nullable String meant) {
        boolean shown = entry.value() instanceof YamlNode.Scalar
                && Arrays.stream(type.getRecordComponents())
                        .anyMatch(c -> c.getName().equals(meant) && !Sensitive.class.isAssignableFrom(c.getType()));
        if (!shown) {
            int lastLine = entry.value() instanceof YamlNode.Scalar scalar
                    ? scalar.lastLine()
                    : entry.value().position().line();
            problems.source().hide(entry.value().position(), lastLine);
        }
    }

    private Object construct(
            YamlNode.Mapping mapping, Class<?> type, @Nullable Object[] arguments, String path, Set<String> broken) {
        try {
            return canonical(type).newInstance(arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            String message = cause instanceof IllegalArgumentException ? cause.getMessage() : null;
            if (message != null) {
                refused(message, mapping, type, path, broken);
            } else if (broken.isEmpty()) {
                // A defect of the record, but the author of the file still needs its position.
                problems.error(
                        mapping.position(),
                        path,
                        type.getSimpleName() + " cannot take these values: "
                                + (cause == null ? e : cause).getClass().getName());
            }
            return FAILED;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    type.getName() + " cannot be built: it must be accessible and use no primitive components", e);
        }
    }

    private void refused(String message, YamlNode.Mapping mapping, Class<?> type, String path, Set<String> broken) {
        int before = problems.errors();
        for (String line : message.lines().toList()) {
            RecordProblem refusal = RecordProblem.of(line, mapping, keys(type), path);
            // If a value is present but invalid, only messages that name another value are reliable.
            if (broken.isEmpty() || (!refusal.component().isEmpty() && !broken.contains(refusal.component()))) {
                problems.error(refusal.position(), refusal.path(), shown(refusal, mapping));
            }
        }
        if (problems.errors() > before) {
            broken.add("");
        }
    }

    /**
     * Returns a constructor's message without quoted values from outside the document. The message is not searched for
     * the value: whether to leave it out depends on its origin, not on its text.
     */
    private static String shown(RecordProblem refusal, YamlNode.Mapping mapping) {
        YamlNode named = refusal.component().isEmpty() ? mapping : mapping.get(refusal.component());
        if (named == null || !named.comesFromOutside()) {
            return refusal.message();
        }
        Matcher quote = QUOTE.matcher(refusal.message());
        String what = named instanceof YamlNode.Scalar scalar ? scalar.describe() : "a value from outside (not shown)";
        return quote.find() ? refusal.message().substring(0, quote.end()) + what : refusal.message();
    }

    private Object unexpected(YamlNode node, String expected, String path) {
        problems.error(node.position(), path, "expected " + expected + " but found " + node.describe());
        return FAILED;
    }

    public static Constructor<?> canonical(Class<?> type) throws NoSuchMethodException {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        Constructor<?> constructor = type.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor;
    }

    static List<String> keys(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }

    static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
