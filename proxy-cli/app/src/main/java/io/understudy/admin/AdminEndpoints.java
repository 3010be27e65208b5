package io.understudy.admin;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.understudy.plugin.PublishedStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The views and actions under {@code /api}, and the streams, by name. Thread-safe; views and actions may be added and
 * removed while the server runs.
 */
public final class AdminEndpoints {

    /**
     * A view of the parameters of its path and of the request's query.
     *
     * @param full the whole view; called on a worker, may block for some seconds
     * @param redacted the view without the token; null for a view that is then refused
     */
    record View(
            Function<Map<String, String>, ?> full,
            boolean sensitive,
            @Nullable Function<Map<String, String>, ?> redacted) {}

    /** A view with its parameters. */
    record Request(View view, Map<String, String> parameters) {}

    /** @param sensitive whether it needs the token */
    record Stream(PublishedStream source, boolean sensitive) {}

    /** An action with the placeholders of its path filled in. */
    record Call(AdminAction action, Map<String, String> parameters) {}

    private final Map<String, View> views = new ConcurrentSkipListMap<>();
    private final Map<String, Stream> streams = new ConcurrentSkipListMap<>();
    private final Map<String, AdminAction> actions = new ConcurrentSkipListMap<>();
    private final Set<String> controls = new ConcurrentSkipListSet<>();

    /**
     * Shows {@code supplier}'s value at {@code /api/<name>} to every client of the port. If it throws
     * {@link IllegalStateException}, there is nothing to show for now, and the response has status 503.
     */
    public AdminEndpoints view(String name, Supplier<?> supplier) {
        return viewOf(name, parameters -> supplier.get());
    }

    /** Adds a view with SQL text or other user data: it needs the token. */
    public AdminEndpoints sensitiveView(String name, Supplier<?> full) {
        return queryView(name, parameters -> full.get());
    }

    /** As {@link #sensitiveView(String, Supplier)}, with a redacted view without the token (digests without text). */
    public AdminEndpoints sensitiveView(String name, Supplier<?> full, Supplier<?> redacted) {
        return sensitiveViewOf(name, parameters -> full.get(), parameters -> redacted.get());
    }

    /**
     * Adds a view that depends on the placeholders of its path. If {@code view} throws
     * {@link IllegalArgumentException}, the response has status 400.
     *
     * @param path below {@code /api/}, with placeholders, such as <code>standbys/{name}/pages</code>
     */
    public AdminEndpoints viewOf(String path, Function<Map<String, String>, ?> view) {
        return put(path, new View(view, false, null));
    }

    /** As {@link #viewOf}, with names of accounts or other user data, which {@code redacted} leaves out. */
    public AdminEndpoints sensitiveViewOf(
            String path, Function<Map<String, String>, ?> full, Function<Map<String, String>, ?> redacted) {
        return put(path, new View(full, true, redacted));
    }

    /**
     * Adds a view that depends on the parameters of the request's query and needs the token. If {@code view} throws
     * {@link IllegalArgumentException}, the response has status 400.
     */
    public AdminEndpoints queryView(String name, Function<Map<String, String>, ?> view) {
        return put(name, new View(view, true, null));
    }

    /** Serves an endless stream at {@code /<name>}; it always needs the token. */
    public AdminEndpoints stream(String name, PublishedStream stream) {
        return put(name, new Stream(stream, true));
    }

    /** Serves an endless stream without SQL text and user data at {@code /<name>} to every client of the port. */
    public AdminEndpoints publicStream(String name, PublishedStream stream) {
        return put(name, new Stream(stream, false));
    }

    private AdminEndpoints put(String name, Stream stream) {
        streams.put(path(name).substring("/api".length()), stream);
        return this;
    }

    @Nullable
    Stream streamAt(String path) {
        return streams.get(path);
    }

    /** Returns the view of a name if it is there and every client of the port may see it, or null. */
    public @Nullable Supplier<?> publicView(String name) {
        View view = views.get(path(name));
        return view == null || view.sensitive() ? null : () -> view.full().apply(Map.of());
    }

    /**
     * Adds an action for POST; it always needs the token.
     *
     * @param path below {@code /api/}, with placeholders, such as <code>mirror/{standby}/pause</code>
     */
    public AdminEndpoints action(String path, AdminAction action) {
        actions.put(path(path), action);
        return this;
    }

    private AdminEndpoints put(String name, View view) {
        views.put(path(name), view);
        return this;
    }

    /** Removes the view of a name. */
    public void removeView(String name) {
        views.remove(path(name));
    }

    /** Removes the stream of a name. */
    public void removeStream(String name) {
        streams.remove(path(name).substring("/api".length()));
    }

    /** Removes the action of a path. */
    public void removeAction(String path) {
        actions.remove(path(path));
    }

    private static String path(String name) {
        if (!name.matches("[a-z0-9{}/-]+") || name.startsWith("/")) {
            throw new IllegalArgumentException(
                    "endpoint '" + name + "': use lower-case letters, digits, '-' and '/', without a leading '/'");
        }
        return "/api/" + name;
    }

    /**
     * Has view and action of these names run where no other view or action delays them. They must not wait for a
     * server.
     */
    public AdminEndpoints control(String... names) {
        for (String name : names) {
            controls.add(path(name));
        }
        return this;
    }

    boolean isControl(String path) {
        return controls.contains(path);
    }

    /** @param query by name, the values of the request's query */
    Optional<Request> viewAt(String path, Map<String, String> query) {
        String[] segments = path.split("/", -1);
        // Names come before placeholders in the order of the map.
        for (Map.Entry<String, View> entry : views.entrySet()) {
            Map<String, String> parameters = match(entry.getKey(), segments);
            if (parameters != null) {
                Map<String, String> all = new LinkedHashMap<>(query);
                all.putAll(parameters);
                return Optional.of(new Request(entry.getValue(), all));
            }
        }
        return Optional.empty();
    }

    /** @param rawPath percent-encoded, as a table's name may have a slash */
    Optional<Call> actionAt(String rawPath) {
        String[] segments = rawPath.split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            segments[i] = new QueryStringDecoder(segments[i]).path();
        }
        for (Map.Entry<String, AdminAction> entry : actions.entrySet()) {
            Map<String, String> parameters = match(entry.getKey(), segments);
            if (parameters != null) {
                return Optional.of(new Call(entry.getValue(), parameters));
            }
        }
        return Optional.empty();
    }

    /** Returns where the result of an action can be found if its response comes first, as a part of a sentence. */
    String resultOf(String path) {
        if (path.equals("/api/reload")) {
            return "GET /api/config tells what came of it";
        }
        for (String view = path; view.startsWith("/api/"); ) {
            if (views.containsKey(view)) {
                return "GET " + view + " tells what came of it";
            }
            view = view.substring(0, view.lastIndexOf('/'));
        }
        return "the log tells when it has ended";
    }

    private static @Nullable Map<String, String> match(String template, String[] actual) {
        String[] expected = template.split("/", -1);
        if (expected.length != actual.length) {
            return null;
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        for (int i = 0; i < expected.length; i++) {
            if (expected[i].startsWith("{") && !actual[i].isEmpty()) {
                parameters.put(expected[i].substring(1, expected[i].length() - 1), actual[i]);
            } else if (!expected[i].equals(actual[i])) {
                return null;
            }
        }
        return parameters;
    }

    List<String> viewPaths() {
        return List.copyOf(views.keySet());
    }

    List<String> actionPaths() {
        return List.copyOf(actions.keySet());
    }

    /** Returns every path with its method, for the response to an unknown path. */
    List<String> describe() {
        TreeSet<String> gets = new TreeSet<>(viewPaths());
        gets.addAll(streams.keySet());
        gets.addAll(List.of(
                "/", "/api", "/dashboard/{file}", "/health/live", "/health/ready", "/metrics", "/openapi.yaml"));
        List<String> all = new ArrayList<>();
        gets.forEach(path -> all.add("GET " + path));
        actions.keySet().forEach(path -> all.add("POST " + path));
        return all;
    }
}
