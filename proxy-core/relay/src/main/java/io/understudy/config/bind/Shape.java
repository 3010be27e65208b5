package io.understudy.config.bind;

import io.understudy.config.bind.yaml.YamlNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a document may hold for a Java type. One walk over the types makes it, and binding, defaults, JSON Schema and
 * differences all ask it. Immutable.
 */
public sealed interface Shape
        permits ScalarShape, RecordShape, Shape.Section, Shape.ScalarOrMapping, Shape.ListOf, Shape.MapOf {

    /**
     * Returns the shape of a type.
     *
     * @throws IllegalStateException if a value of the type cannot be configured
     */
    static Shape of(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) {
                return new ListOf(of(arguments[0]));
            } else if (generic.getRawType() == Map.class && arguments[0] == String.class) {
                return new MapOf(of(arguments[1]));
            }
        } else if (type == RawSection.class) {
            return new Section();
        } else if (type instanceof Class<?> plain) {
            ScalarShape scalar = ScalarShape.of(plain);
            if (scalar != null) {
                return plain.isAnnotationPresent(MappingToo.class)
                        ? new ScalarOrMapping(scalar, RecordShape.of(plain))
                        : scalar;
            } else if (plain.isRecord()) {
                return RecordShape.of(plain);
            }
        }
        throw new IllegalStateException("a type that cannot be configured: " + type);
    }

    /** Returns the value of a node, or {@link Binder#FAILED} after the problem was reported. */
    Object bind(YamlNode node, String path, Binder binder);

    /** Returns the JSON Schema (draft 2020-12). Rules that only a record's constructor knows are not in it. */
    Map<String, Object> schema();

    /** Returns a value as it would be written in a file, or null if it cannot or must not be shown as a default. */
    default @Nullable Object written(Object value) {
        return null;
    }

    /** Returns a value as shown to people. */
    default String show(Object value) {
        return value.toString();
    }

    /** Returns whether {@link #show} says of what kind a value is, not the value itself. */
    default boolean showsKind() {
        return false;
    }

    /** Returns a map in the order of its arguments. */
    static Map<String, Object> ordered(@Nullable Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(String.valueOf(keysAndValues[i]), Objects.requireNonNull(keysAndValues[i + 1]));
        }
        return map;
    }

    private static String entries(int size) {
        return size + (size == 1 ? " entry" : " entries");
    }

    /** A mapping that is bound later. */
    record Section() implements Shape {
        @Override
        public Object bind(YamlNode node, String path, Binder binder) {
            return node instanceof YamlNode.Mapping || node.isNull()
                    ? new RawSection(node, path, binder)
                    : binder.unexpected(node, "a mapping", path);
        }

        @Override
        public Map<String, Object> schema() {
            return ordered("type", List.of("object", "null"));
        }
    }

    /** A value type whose components may be written out. */
    record ScalarOrMapping(ScalarShape scalar, RecordShape mapping) implements Shape {
        @Override
        public Object bind(YamlNode node, String path, Binder binder) {
            return (node instanceof YamlNode.Mapping ? mapping : scalar).bind(node, path, binder);
        }

        @Override
        public Map<String, Object> schema() {
            return ordered("anyOf", List.of(scalar.schema(), mapping.schema()));
        }
    }

    /** A list; one item may stand without brackets. */
    record ListOf(Shape item) implements Shape {
        @Override
        public Object bind(YamlNode node, String path, Binder binder) {
            if (!(node instanceof YamlNode.Sequence sequence)) {
                Object only = binder.value(node, item, path);
                return only == Binder.FAILED ? only : List.of(only);
            }
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < sequence.items().size(); i++) {
                items.add(binder.value(sequence.items().get(i), item, path + "[" + i + "]"));
            }
            return items.contains(Binder.FAILED) ? Binder.FAILED : List.copyOf(items);
        }

        @Override
        public Map<String, Object> schema() {
            Map<String, Object> one = item.schema();
            return ordered("anyOf", List.of(ordered("type", "array", "items", one), one));
        }

        @Override
        public @Nullable Object written(Object value) {
            List<@Nullable Object> items = new ArrayList<>();
            ((List<?>) value).forEach(each -> items.add(item.written(each)));
            return items.contains(null) ? null : items;
        }

        @Override
        public String show(Object value) {
            List<?> list = (List<?>) value;
            return item.showsKind() && !list.isEmpty()
                    ? entries(list.size())
                    : list.stream().map(item::show).toList().toString();
        }

        @Override
        public boolean showsKind() {
            return item.showsKind();
        }
    }

    /** A mapping with any keys. */
    record MapOf(Shape value) implements Shape {
        @Override
        public Object bind(YamlNode node, String path, Binder binder) {
            if (!(node instanceof YamlNode.Mapping mapping)) {
                return binder.unexpected(node, "a mapping", path);
            }
            Map<String, Object> map = new LinkedHashMap<>();
            for (YamlNode.Entry entry : mapping.entries()) {
                map.put(entry.key(), binder.value(entry.value(), value, Binder.join(path, entry.key())));
            }
            return map.containsValue(Binder.FAILED) ? Binder.FAILED : Collections.unmodifiableMap(map);
        }

        @Override
        public Map<String, Object> schema() {
            return ordered("type", "object", "additionalProperties", value.schema());
        }

        @Override
        public String show(Object map) {
            return entries(((Map<?, ?>) map).size());
        }

        @Override
        public boolean showsKind() {
            return true;
        }
    }
}
