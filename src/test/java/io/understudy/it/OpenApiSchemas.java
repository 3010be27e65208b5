package io.understudy.it;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.understudy.base.JsonWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What an OpenAPI document specifies for a response. */
final class OpenApiSchemas {
    private final Map<?, ?> document;

    OpenApiSchemas(String yaml) {
        document = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(yaml);
    }

    private static @Nullable Object at(@Nullable Object from, String... keys) {
        Object value = from;
        for (String key : keys) {
            value = value instanceof Map<?, ?> map ? map.get(key) : null;
        }
        return value;
    }

    private static Map<?, ?> mapping(@Nullable Object value) {
        return (Map<?, ?>) Objects.requireNonNull(value);
    }

    /** Returns the paths, with an operation or {@code parameters} by key. */
    Map<String, Map<String, Object>> paths() {
        Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
        for (Map.Entry<?, ?> path : mapping(document.get("paths")).entrySet()) {
            Map<String, Object> operations = new LinkedHashMap<>();
            mapping(path.getValue()).forEach((method, operation) -> operations.put(String.valueOf(method), operation));
            paths.put(String.valueOf(path.getKey()), operations);
        }
        return paths;
    }

    /** Returns whether an operation is refused without the token. */
    boolean needsToken(String path, String method) {
        return at(document, "paths", path, method, "security") instanceof List<?> ways && !ways.contains(Map.of());
    }

    /** Returns the problems of a response; one that is not specified is a problem too. */
    List<String> problems(String path, String method, int status, String type, String body) {
        Object response = at(document, "paths", path, method, "responses", String.valueOf(status));
        if (at(response, "$ref") instanceof String reference) {
            String[] keys = reference.substring("#/".length()).split("/", -1);
            response = at(document, keys);
        }
        Object schema = at(response, "content", type, "schema");
        if (schema == null) {
            schema = at(response, "content", "*/*", "schema");
        }
        if (schema == null) {
            return List.of("status " + status + " with " + type + " is not specified");
        }
        if (!type.equals("application/json")) {
            return List.of();
        }
        Map<Object, Object> whole = new LinkedHashMap<>((Map<?, ?>) schema);
        // References point into the document.
        whole.put("components", mapping(document.get("components")));
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(JsonWriter.write(whole), InputFormat.JSON)
                .validate(body, InputFormat.JSON)
                .stream()
                .map(Object::toString)
                .toList();
    }
}
