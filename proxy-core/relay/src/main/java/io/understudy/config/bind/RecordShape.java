package io.understudy.config.bind;

import io.understudy.base.HasWarnings;
import io.understudy.base.RemovedKey;
import io.understudy.base.Sensitive;
import io.understudy.config.bind.problem.Problems;
import io.understudy.config.bind.problem.Suggestions;
import io.understudy.config.bind.yaml.YamlNode;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A record, written as a mapping with a key for each component. An absent key is passed as null, and the record's
 * compact constructor sets the default or throws; the lines of its message become problems at the keys that they name.
 */
public final class RecordShape implements Shape {

    /** Text that precedes a value quoted by a record; see {@link Checks}. */
    private static final Pattern QUOTE = Pattern.compile(" but (?:found|is) ");

    private static final ClassValue<RecordShape> ALL = new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
            return new RecordShape(type);
        }
    };

    private final Class<?> type;
    private final List<Key> keys;
    private final List<String> names;
    private final Constructor<?> constructor;

    /**
     * One key of the mapping.
     *
     * @param type the component's class
     */
    public record Key(String name, Class<?> type, Shape shape, Method accessor) {

        /** Returns the component of a record. */
        public @Nullable Object read(Object record) {
            try {
                return accessor.invoke(record);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("cannot read " + accessor, e);
            }
        }
    }

    private RecordShape(Class<?> type) {
        this.type = type;
        this.keys =
                Arrays.stream(type.getRecordComponents()).map(RecordShape::key).toList();
        this.names = keys.stream().map(Key::name).toList();
        try {
            this.constructor =
                    type.getDeclaredConstructor(keys.stream().map(Key::type).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
        constructor.setAccessible(true);
    }

    private static Key key(RecordComponent component) {
        component.getAccessor().setAccessible(true);
        return new Key(
                component.getName(),
                component.getType(),
                Shape.of(component.getGenericType()),
                component.getAccessor());
    }

    /** Returns the shape of a record's class. */
    public static RecordShape of(Class<?> type) {
        return ALL.get(type);
    }

    /** Returns the record's class. */
    public Class<?> type() {
        return type;
    }

    /** Returns the record of a mapping without keys, none of which is required. */
    public static <R extends Record> R defaults(Class<R> type) {
        RecordShape shape = of(type);
        try {
            return type.cast(shape.create(new Object[shape.keys.size()]));
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the keys in the order of the components. */
    public List<Key> keys() {
        return keys;
    }

    @Override
    public Object bind(YamlNode node, String path, Binder binder) {
        return node instanceof YamlNode.Mapping mapping
                ? bind(mapping, path, binder.problems(), binder)
                : binder.unexpected(node, "a mapping with the keys " + String.join(", ", names), path);
    }

    private Object bind(YamlNode.Mapping mapping, String path, Problems problems, Binder binder) {
        @Nullable Object[] arguments = new Object[keys.size()];
        Set<String> broken = unknownKeys(mapping, path, problems);
        for (int i = 0; i < arguments.length; i++) {
            String name = names.get(i);
            YamlNode node = mapping.get(name);
            if (node != null && !node.isNull()) {
                Object value = binder.value(node, keys.get(i).shape(), Binder.join(path, name));
                if (value == Binder.FAILED) {
                    broken.add(name);
                } else {
                    arguments[i] = value;
                }
            }
        }
        Object record = construct(mapping, arguments, path, broken, problems);
        if (broken.isEmpty() && record instanceof HasWarnings warns) {
            for (String line : warns.warnings()) {
                RecordProblem warning = RecordProblem.of(line, mapping, names, path);
                problems.warning(warning.position(), warning.path(), warning.message());
            }
        }
        return broken.isEmpty() ? record : Binder.FAILED;
    }

    /**
     * Reports unknown keys; returns the known keys that were probably meant, so that they are not also reported as
     * missing.
     */
    private Set<String> unknownKeys(YamlNode.Mapping mapping, String path, Problems problems) {
        List<String> absent =
                names.stream().filter(name -> mapping.get(name) == null).toList();
        Set<String> meant = new HashSet<>();
        for (YamlNode.Entry entry : mapping.entries()) {
            String name = entry.key();
            if (names.contains(name)) {
                continue;
            }
            String removed = Arrays.stream(type.getAnnotationsByType(RemovedKey.class))
                    .filter(key -> key.name().equals(name))
                    .map(key -> "'" + name + "' was removed: " + key.why())
                    .findFirst()
                    .orElse(null);
            String nearest = removed == null ? Suggestions.nearest(name, absent) : null;
            if (nearest != null) {
                meant.add(nearest);
            }
            hideMisplaced(entry.value(), nearest, problems);
            String message = removed != null
                    ? removed
                    : "unknown key '" + name + "'" + Suggestions.hint(name, nearest != null ? absent : names);
            problems.error(entry.keyPosition(), path, message);
        }
        return meant;
    }

    /** Shows the value of an unknown key only if the key that was meant is known not to be a secret. */
    private void hideMisplaced(YamlNode value, @Nullable String meant, Problems problems) {
        YamlNode.Scalar scalar = value instanceof YamlNode.Scalar each ? each : null;
        if (scalar == null
                || keys.stream()
                        .noneMatch(key -> key.name().equals(meant) && !Sensitive.class.isAssignableFrom(key.type()))) {
            problems.source()
                    .hide(value.position(), scalar == null ? value.position().line() : scalar.lastLine());
        }
    }

    private Object construct(
            YamlNode.Mapping mapping,
            @Nullable Object[] arguments,
            String path,
            Set<String> broken,
            Problems problems) {
        try {
            return create(arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            String message = cause instanceof IllegalArgumentException ? cause.getMessage() : null;
            if (message != null) {
                refused(message, mapping, path, broken, problems);
            } else if (broken.isEmpty()) {
                // A defect of the record, but the author of the file still needs its position.
                problems.error(
                        mapping.position(),
                        path,
                        type.getSimpleName() + " cannot take these values: "
                                + (cause == null ? e : cause).getClass().getName());
            }
            return Binder.FAILED;
        }
    }

    private Object create(@Nullable Object[] arguments) throws InvocationTargetException {
        try {
            return constructor.newInstance(arguments);
        } catch (InstantiationException | IllegalAccessException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    type.getName() + " cannot be built: it must be accessible and use no primitive components", e);
        }
    }

    private void refused(String message, YamlNode.Mapping mapping, String path, Set<String> broken, Problems problems) {
        int before = problems.errors();
        for (String line : message.lines().toList()) {
            RecordProblem refusal = RecordProblem.of(line, mapping, names, path);
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

    @Override
    public String show(Object value) {
        return "a section";
    }

    @Override
    public boolean showsKind() {
        return true;
    }

    @Override
    public Map<String, Object> schema() {
        Set<String> required = new HashSet<>();
        Object defaults = defaults(required);
        Map<String, Object> properties = Shape.ordered();
        for (Key key : keys) {
            Map<String, Object> property = Shape.ordered();
            String description = description(type, key.name());
            if (description != null) {
                property.put("description", description);
            }
            boolean optional = !required.contains(key.name());
            Object value = defaults == null || !optional ? null : key.read(defaults);
            Object written = value == null ? null : key.shape().written(value);
            if (written != null) {
                property.put("default", written);
            }
            Map<String, Object> schema = key.shape().schema();
            property.putAll(optional ? nullable(schema) : schema);
            properties.put(key.name(), property);
        }
        Map<String, Object> schema = Shape.ordered(
                "type", required.isEmpty() ? List.of("object", "null") : "object", "properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", names.stream().filter(required::contains).toList());
        }
        schema.put("additionalProperties", false);
        return schema;
    }

    /** An optional key may have an empty value. */
    private static Map<String, Object> nullable(Map<String, Object> schema) {
        if (schema.get("type") instanceof List<?>) {
            return schema;
        }
        List<Object> choices =
                new ArrayList<>(schema.get("anyOf") instanceof List<?> several ? several : List.of(schema));
        choices.add(Map.of("type", "null"));
        return Shape.ordered("anyOf", choices);
    }

    /**
     * Returns the record of a mapping without keys that are not required, or null if none can be built. The required
     * keys are learned from the refusals, and get a sample value.
     */
    private @Nullable Object defaults(Set<String> required) {
        @Nullable Object[] arguments = new Object[keys.size()];
        // At most one round per required key: a constructor may name one at a time.
        while (true) {
            int known = required.size();
            try {
                return create(arguments);
            } catch (InvocationTargetException e) {
                String message =
                        e.getCause() instanceof IllegalArgumentException reason ? "" + reason.getMessage() : "";
                for (int i = 0; i < arguments.length; i++) {
                    if (message.lines().anyMatch(Checks.required(names.get(i))) && required.add(names.get(i))) {
                        arguments[i] = sample(keys.get(i).shape());
                    }
                }
            }
            if (required.size() == known) {
                return null;
            }
        }
    }

    private static @Nullable Object sample(Shape shape) {
        if (shape instanceof ScalarShape scalar) {
            return scalar.read(scalar.example());
        } else if (shape instanceof RecordShape record) {
            return record.defaults(new HashSet<>());
        }
        return shape instanceof ListOf ? List.of() : null;
    }

    /**
     * Returns the sentence that describes a key, or null if there is none: from {@code <SimpleRecordName>.properties}
     * (UTF-8) beside the record on the class path. A nested record may be described in the file of its outermost class
     * instead, each key prefixed with its simple name and a dot.
     */
    private static @Nullable String description(Class<?> type, String component) {
        String own = file(type).getProperty(component);
        if (own != null || type.getEnclosingClass() == null) {
            return own;
        }
        Class<?> outermost = type;
        while (outermost.getEnclosingClass() != null) {
            outermost = outermost.getEnclosingClass();
        }
        return file(outermost).getProperty(type.getSimpleName() + "." + component);
    }

    private static Properties file(Class<?> type) {
        Properties properties = new Properties();
        try (var in = type.getResourceAsStream(type.getSimpleName() + ".properties")) {
            if (in != null) {
                properties.load(new InputStreamReader(in, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the descriptions of " + type.getName(), e);
        }
        return properties;
    }
}
