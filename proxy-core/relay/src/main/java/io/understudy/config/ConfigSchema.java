package io.understudy.config;

import io.understudy.base.JsonWriter;
import io.understudy.config.bind.RecordShape;
import io.understudy.config.bind.ScalarShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Generates the JSON Schema of the configuration file, for editors, from the records that the loader binds to. */
public final class ConfigSchema {

    private ConfigSchema() {}

    /**
     * Returns the schema as JSON text; equal for equal records.
     *
     * @param pluginTypes the configuration record of every known plugin, by plugin id
     */
    public static String generate(Map<String, ? extends Class<? extends Record>> pluginTypes) {
        Map<String, Object> root = RecordShape.of(UnderstudyConfig.class).schema();
        Map<String, Object> sections = new LinkedHashMap<>();
        new TreeMap<>(pluginTypes)
                .forEach((id, type) ->
                        sections.put(id, section(RecordShape.of(type).schema())));

        Map<String, Object> properties = child(root, "properties");
        Map<String, Object> plugins = child(properties, "plugins");
        plugins.remove("anyOf");
        plugins.put("type", List.of("object", "null"));
        plugins.put("properties", sections);
        plugins.put("additionalProperties", false);

        Map<String, Object> primary = child(properties, "primary");
        primary.put("required", List.of());
        primary.put("anyOf", List.of(needs("address"), needs("candidates")));

        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "Understudy configuration");
        schema.putAll(root);
        schema.put("type", "object");
        schema.put("$defs", ScalarShape.SUBSTITUTED);
        return JsonWriter.writeIndented(schema);
    }

    private static Map<String, Object> needs(String key) {
        return Map.of("required", List.of(key));
    }

    /** Returns a plugin's keys and {@code enabled}, which belongs to the host. */
    private static Map<String, Object> section(Map<String, Object> schema) {
        Map<String, Object> enabled = new LinkedHashMap<>();
        enabled.put(
                "description", "Whether the plugin runs; a section that is not there at all means that it does not.");
        enabled.put("default", true);
        enabled.put("type", List.of("boolean", "null"));
        Map<String, Object> properties = child(schema, "properties");
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("enabled", enabled);
        all.putAll(properties);
        properties.clear();
        properties.putAll(all);
        return schema;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> child(Map<String, Object> schema, String key) {
        Object child = schema.get(key);
        if (child == null) {
            throw new IllegalStateException("the schema has no " + key);
        }
        return (Map<String, Object>) child;
    }
}
