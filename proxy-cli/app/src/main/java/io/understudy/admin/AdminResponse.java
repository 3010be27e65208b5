package io.understudy.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.understudy.base.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** A complete response. */
record AdminResponse(HttpResponseStatus status, String contentType, byte[] body, Map<String, String> headers) {

    private static final String JSON = "application/json; charset=utf-8";

    static AdminResponse json(HttpResponseStatus status, Object value) {
        return new AdminResponse(
                status, JSON, (JsonWriter.write(value) + "\n").getBytes(StandardCharsets.UTF_8), Map.of());
    }

    /** Bytes are sent unchanged, anything else as JSON. */
    static AdminResponse ok(Object value) {
        if (value instanceof byte[] bytes) {
            return new AdminResponse(HttpResponseStatus.OK, "application/octet-stream", bytes, Map.of());
        }
        return json(HttpResponseStatus.OK, value);
    }

    static AdminResponse error(HttpResponseStatus status, String message) {
        return json(status, Map.of("error", message));
    }

    static AdminResponse text(String contentType, String body) {
        return new AdminResponse(HttpResponseStatus.OK, contentType, body.getBytes(StandardCharsets.UTF_8), Map.of());
    }

    AdminResponse with(String header, String value) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(header, value);
        return new AdminResponse(status, contentType, body, all);
    }
}
