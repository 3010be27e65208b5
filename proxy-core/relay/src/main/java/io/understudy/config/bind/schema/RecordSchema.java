package io.understudy.config.bind.schema;

import io.understudy.base.Durations;
import io.understudy.base.Sensitive;
import io.understudy.config.bind.Binder;
import io.understudy.config.bind.EnumNames;
import io.understudy.config.bind.MappingToo;
import io.understudy.config.bind.RawSection;
import io.understudy.config.bind.Scalars;
import io.understudy.config.bind.yaml.YamlNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * JSON Schema (draft 2020-12) of what {@link Binder} accepts for a record: the same components and types. Rules that
 * only the record's constructor knows, such as ranges and combinations, are not in it.
 */
public final class RecordSchema {

    /** Name under {@code $defs} of a value that is wholly or partly substituted. */
    public static final String SUBSTITUTED = "substituted";

    private static final String SUBSTITUTED_PATTERN = "\\$\\{(env|file):[^}]+\\}";

    private final Descriptions descriptions = new Descriptions();

    /** Returns the definition that schemas refer to as {@link #SUBSTITUTED}. */
    public static Map<String, Object> substituted() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("description", "A value from an environment variable or a file.");
        schema.put("type", "string");
        schema.put("pattern", SUBSTITUTED_PATTERN);
        return schema;
    }

    /** Returns the schema of a record: an object with no keys but its components. */
    public Map<String, Object> of(Class<?> type) {
        Defaults defaults = Defaults.of(type);
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            properties.put(component.getName(), property(type, component, defaults));
            if (defaults.required().contains(component.getName())) {
                required.add(component.getName());
            }
        }
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", required.isEmpty() ? List.of("object", "null") : "object");
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        schema.put("additionalProperties", false);
        return schema;
    }

    private Map<String, Object> property(Class<?> owner, RecordComponent component, Defaults defaults) {
        Map<String, Object> schema = new LinkedHashMap<>();
        String description = descriptions.of(owner, component.getName());
        if (description != null) {
            schema.put("description", description);
        }
        Object value = defaults.of(component);
        if (value != null) {
            schema.put("default", value);
        }
        boolean required = defaults.required().contains(component.getName());
        schema.putAll(required ? schema(component.getGenericType()) : nullable(schema(component.getGenericType())));
        return schema;
    }

    /** An optional key may have an empty value. */
    private static Map<String, Object> nullable(Map<String, Object> schema) {
        if (schema.get("type") instanceof List<?> || schema.isEmpty()) {
            return schema;
        }
        Map<String, Object> result = new LinkedHashMap<>();
        if (schema.get("anyOf") instanceof List<?> choices) {
            List<Object> more = new ArrayList<>(choices);
            more.add(Map.of("type", "null"));
            result.put("anyOf", more);
        } else {
            result.put("anyOf", List.of(schema, Map.of("type", "null")));
        }
        return result;
    }

    private Map<String, Object> schema(Type type) {
        if (type instanceof ParameterizedType generic) {
            Map<String, Object> schema = new LinkedHashMap<>();
            if (generic.getRawType() == List.class) {
                Map<String, Object> item = schema(generic.getActualTypeArguments()[0]);
                schema.put("anyOf", List.of(ordered("type", "array", "items", item), item));
            } else {
                schema.put("type", "object");
                schema.put("additionalProperties", schema(generic.getActualTypeArguments()[1]));
            }
            return schema;
        }
        Class<?> plain = (Class<?>) type;
        if (plain == Object.class || plain == YamlNode.class) {
            return Map.of();
        } else if (plain == RawSection.class) {
            return ordered("type", List.of("object", "null"));
        } else if (plain.isAnnotationPresent(MappingToo.class)) {
            return ordered("anyOf", List.of(scalar(plain), of(plain)));
        } else if (Scalars.handles(plain)) {
            return scalar(plain);
        }
        return of(plain);
    }

    private static Map<String, Object> scalar(Class<?> type) {
        if (type == String.class || Sensitive.class.isAssignableFrom(type)) {
            // The binder takes the text of any scalar: an unquoted 1234 may be a name or a password.
            return ordered("type", List.of("string", "number", "boolean"));
        } else if (type == Integer.class) {
            return orSubstituted(
                    ordered("type", "integer", "minimum", Integer.MIN_VALUE, "maximum", Integer.MAX_VALUE));
        } else if (type == Long.class) {
            return orSubstituted(ordered("type", "integer"));
        } else if (type == Double.class) {
            return orSubstituted(ordered("type", "number"));
        } else if (type == Boolean.class) {
            return orSubstituted(ordered("type", "boolean"));
        } else if (type.isEnum()) {
            return orSubstituted(ordered("enum", EnumNames.all(type)));
        } else if (type == Duration.class) {
            return orSubstituted(ordered("type", "string", "pattern", Durations.PATTERN));
        } else if (type == Path.class) {
            return ordered("type", "string", "minLength", 1);
        }
        return valueType(type);
    }

    private static Map<String, Object> valueType(Class<?> type) {
        String pattern = Scalars.constant(type, "PATTERN");
        String example = Scalars.constant(type, "EXAMPLE");
        if (pattern == null) {
            return ordered("type", List.of("string", "number", "boolean"));
        }
        // In JSON an unquoted number is not a string, so the pattern does not apply to it.
        boolean numbers = Pattern.compile(pattern).matcher("7").find();
        Map<String, Object> schema =
                ordered("type", numbers ? List.of("string", "number") : "string", "pattern", pattern);
        if (example != null) {
            schema.put("examples", List.of(example));
        }
        return orSubstituted(schema);
    }

    private static Map<String, Object> orSubstituted(Map<String, Object> schema) {
        return ordered("anyOf", List.of(schema, Map.of("$ref", "#/$defs/" + SUBSTITUTED)));
    }

    private static Map<String, Object> ordered(@Nullable Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(String.valueOf(keysAndValues[i]), Objects.requireNonNull(keysAndValues[i + 1]));
        }
        return map;
    }
}
