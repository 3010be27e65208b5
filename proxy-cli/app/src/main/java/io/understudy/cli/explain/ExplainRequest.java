package io.understudy.cli.explain;

import io.understudy.base.JsonReader;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A statement to be explained.
 *
 * @param id returned with the result, or null
 * @param sql the text
 * @param user the session's user, or null
 * @param schema default schema, or null
 * @param client the client's address, or null
 * @param dialect {@code mariadb} or {@code mysql}, or null
 */
public record ExplainRequest(
        @Nullable Object id,
        String sql,
        @Nullable String user,
        @Nullable String schema,
        @Nullable String client,
        @Nullable String dialect) {

    /**
     * Returns the request on a line.
     *
     * @throws IllegalArgumentException if the line is not a JSON object with a text {@code sql}
     */
    public static ExplainRequest request(String line) {
        Map<?, ?> fields;
        try {
            fields = JsonReader.read(line) instanceof Map<?, ?> object ? object : null;
        } catch (IOException e) {
            throw new IllegalArgumentException("not JSON: " + e.getMessage(), e);
        }
        if (fields == null) {
            throw new IllegalArgumentException("expected a JSON object such as {\"id\":1,\"sql\":\"SELECT 1\"}");
        }
        String sql = text(fields, "sql");
        if (sql == null) {
            throw new IllegalArgumentException("the key \"sql\" with the statement's text is missing");
        }
        return new ExplainRequest(
                scalar(fields, "id"),
                sql,
                text(fields, "user"),
                text(fields, "schema"),
                text(fields, "client"),
                text(fields, "dialect"));
    }

    private static @Nullable String text(Map<?, ?> fields, String name) {
        Object value = scalar(fields, name);
        return value == null ? null : value.toString();
    }

    private static @Nullable Object scalar(Map<?, ?> fields, String name) {
        Object value = fields.get(name);
        return value instanceof String || value instanceof Number ? value : null;
    }
}
