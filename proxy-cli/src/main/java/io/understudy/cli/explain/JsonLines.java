package io.understudy.cli.explain;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads requests, one JSON object per line. */
public final class JsonLines {
    private static final JsonFactory JSON = new JsonFactory();

    private JsonLines() {}

    /**
     * Returns the request on a line.
     *
     * @throws IllegalArgumentException if the line is not a JSON object with a text {@code sql}
     */
    public static ExplainRequest request(String line) {
        Map<String, Object> fields = new HashMap<>();
        try (JsonParser parser = JSON.createParser(line)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("expected a JSON object such as {\"id\":1,\"sql\":\"SELECT 1\"}");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value.isNumeric()) {
                    fields.put(name, parser.getNumberValue());
                } else if (value == JsonToken.VALUE_STRING) {
                    fields.put(name, parser.getText());
                } else {
                    parser.skipChildren();
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("not JSON: " + e.getMessage(), e);
        }
        String sql = text(fields, "sql");
        if (sql == null) {
            throw new IllegalArgumentException("the key \"sql\" with the statement's text is missing");
        }
        return new ExplainRequest(
                fields.get("id"),
                sql,
                text(fields, "user"),
                text(fields, "schema"),
                text(fields, "client"),
                text(fields, "dialect"));
    }

    private static @Nullable String text(Map<String, Object> fields, String name) {
        Object value = fields.get(name);
        return value == null ? null : value.toString();
    }
}
