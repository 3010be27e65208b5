package io.understudy.admin;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.understudy.base.JsonReader;
import io.understudy.plugin.PublishedStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the response to a request. Quick requests (health, the page, refusals) are handled on the event loop; views,
 * actions and scrapes run on {@link AdminWorkers}.
 */
final class AdminRoutes {

    private static final Logger LOG = LoggerFactory.getLogger(AdminRoutes.class);
    private static final ExpositionFormats FORMATS = ExpositionFormats.init();
    private static final String READ = "GET, HEAD";
    /** A test holds it to the paths and responses of a running proxy. */
    private static final String OPENAPI = openApi();

    private final AdminEndpoints endpoints;
    private final AdminToken token;
    private final PrometheusMeterRegistry registry;
    private final Readiness readiness;
    private final AdminWorkers workers;
    private final AdminStreams streams;
    private final PageFiles page = new PageFiles();
    private final AdminAudit audit = new AdminAudit();
    private final AdminHosts hosts;
    private final TokenPace pace = new TokenPace(System::nanoTime);

    AdminRoutes(
            AdminEndpoints endpoints,
            AdminHosts hosts,
            AdminToken token,
            PrometheusMeterRegistry registry,
            Readiness readiness,
            AdminWorkers workers,
            AdminStreams streams) {
        this.endpoints = endpoints;
        this.hosts = hosts;
        this.token = token;
        this.registry = registry;
        this.readiness = readiness;
        this.workers = workers;
        this.streams = streams;
    }

    private static String openApi() {
        try (InputStream file = AdminRoutes.class.getResourceAsStream("openapi.yaml")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("openapi.yaml cannot be read from the program's jar", e);
        }
    }

    /**
     * Never fails: an error becomes a response too. The request is not read after this returns.
     *
     * @param gone completes when the client's connection has closed
     */
    CompletionStage<AdminResponse> response(FullHttpRequest request, SocketAddress client, CompletionStage<Void> gone) {
        try {
            QueryStringDecoder target = new QueryStringDecoder(request.uri());
            Supplier<CompletionStage<AdminResponse>> read = readable(target, request, client);
            Optional<AdminEndpoints.Call> action = endpoints.actionAt(target.rawPath());
            HttpMethod method = request.method();
            if (read == null && action.isEmpty()) {
                return now(unknown(target.path()));
            }
            if (read != null && (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD))) {
                return read.get();
            }
            if (action.isPresent() && method.equals(HttpMethod.POST)) {
                return act(target, action.get(), request, client, gone);
            }
            String allow = read == null ? "POST" : action.isEmpty() ? READ : READ + ", POST";
            return now(AdminResponse.error(HttpResponseStatus.METHOD_NOT_ALLOWED, target.path() + " takes " + allow)
                    .with("Allow", allow));
        } catch (IllegalArgumentException e) {
            return now(AdminResponse.error(
                    HttpResponseStatus.BAD_REQUEST, "cannot read the request's target: " + e.getMessage()));
        } catch (RuntimeException e) {
            LOG.warn("admin request failed", e);
            return now(AdminResponse.error(HttpResponseStatus.INTERNAL_SERVER_ERROR, e + "; the log has the details"));
        }
    }

    private @Nullable Supplier<CompletionStage<AdminResponse>> readable(
            QueryStringDecoder target, FullHttpRequest request, SocketAddress client) {
        String path = target.path();
        AdminResponse file = page.response(path, request.headers());
        if (file != null) {
            return () -> now(file);
        }
        return switch (path) {
            case "/health/live" -> () -> now(AdminResponse.ok(Map.of("status", "live")));
            case "/health/ready" -> () -> now(ready());
            case "/openapi.yaml" -> () -> now(AdminResponse.text("application/yaml", OPENAPI));
            case "/metrics" -> () -> scrape(request.headers().get(HttpHeaderNames.ACCEPT));
            case "/api" ->
                () -> now(AdminResponse.ok(Map.of("views", endpoints.viewPaths(), "actions", endpoints.actionPaths())));
            default -> {
                AdminEndpoints.Request view =
                        endpoints.viewAt(path, query(target)).orElse(null);
                String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
                yield view == null ? null : () -> show(path, view, authorization, client);
            }
        };
    }

    /**
     * Opens the stream that the request asks for. Returns null when it asks for no stream.
     *
     * @param ready see {@link PublishedStream#open}
     */
    @Nullable
    Opened stream(FullHttpRequest request, SocketAddress client, Runnable ready) {
        if (!request.decoderResult().isSuccess()) {
            return null;
        }
        QueryStringDecoder target;
        String path;
        try {
            target = new QueryStringDecoder(request.uri());
            path = target.path();
        } catch (IllegalArgumentException e) {
            return null;
        }
        AdminEndpoints.Stream stream = endpoints.streamAt(path);
        if (stream == null) {
            return null;
        }
        if (!request.method().equals(HttpMethod.GET)) {
            return Opened.refused(AdminResponse.error(HttpResponseStatus.METHOD_NOT_ALLOWED, path + " takes GET")
                    .with("Allow", "GET"));
        }
        AdminToken.Verdict verdict = token.check(request.headers().get(HttpHeaderNames.AUTHORIZATION));
        if (stream.sensitive() && verdict != AdminToken.Verdict.GRANTED) {
            return Opened.refused(refuse(verdict, path, client, " shows SQL text and"));
        }
        AdminResponse full = streams.refusalAtLimit(path);
        if (full != null) {
            return Opened.refused(full);
        }
        try {
            PublishedStream source = stream.source();
            return new Opened(source.contentType(), source.open(query(target), ready), null);
        } catch (IllegalArgumentException e) {
            return Opened.refused(AdminResponse.error(HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage())));
        } catch (IllegalStateException e) {
            return Opened.refused(streams.refusal(path, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            LOG.warn("admin stream {} failed to open", path, e);
            return Opened.refused(
                    AdminResponse.error(HttpResponseStatus.INTERNAL_SERVER_ERROR, e + "; the log has the details"));
        }
    }

    private static Map<String, String> query(QueryStringDecoder target) {
        Map<String, String> parameters = new LinkedHashMap<>();
        target.parameters().forEach((name, values) -> parameters.put(name, values.get(0)));
        return parameters;
    }

    /** A reader of a stream, or the reason why there is none. */
    record Opened(
            String contentType,
            PublishedStream.@Nullable Reader reader,
            @Nullable AdminResponse refusal) {
        static Opened refused(AdminResponse refusal) {
            return new Opened("", null, refusal);
        }
    }

    private CompletionStage<AdminResponse> scrape(@Nullable String accept) {
        String format = FORMATS.findWriter(accept).getContentType();
        return workers.scrape(() -> AdminResponse.text(format, registry.scrape(format)));
    }

    private AdminResponse ready() {
        List<String> reasons = readiness.reasons();
        if (!reasons.isEmpty()) {
            return AdminResponse.json(
                    HttpResponseStatus.SERVICE_UNAVAILABLE, Map.of("status", "not ready", "reasons", reasons));
        }
        List<String> warnings = readiness.warnings();
        return AdminResponse.ok(
                warnings.isEmpty() ? Map.of("status", "ready") : Map.of("status", "ready", "warnings", warnings));
    }

    private CompletionStage<AdminResponse> show(
            String path, AdminEndpoints.Request asked, @Nullable String authorization, SocketAddress client) {
        AdminEndpoints.View view = asked.view();
        Function<Map<String, String>, ?> source = view.full();
        if (view.sensitive()) {
            AdminToken.Verdict verdict = token.check(authorization);
            boolean anonymous = verdict == AdminToken.Verdict.MISSING || verdict == AdminToken.Verdict.NOT_CONFIGURED;
            Function<Map<String, String>, ?> redacted = view.redacted();
            if (anonymous && redacted != null) {
                source = redacted;
            } else if (verdict != AdminToken.Verdict.GRANTED) {
                return now(refuse(verdict, path, client, " shows SQL text and"));
            }
        }
        Function<Map<String, String>, ?> chosen = source;
        return run(path, () -> {
            try {
                return AdminResponse.ok(chosen.apply(asked.parameters()));
            } catch (IllegalArgumentException e) {
                return AdminResponse.error(HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage()));
            }
        });
    }

    private CompletionStage<AdminResponse> act(
            QueryStringDecoder target,
            AdminEndpoints.Call call,
            FullHttpRequest request,
            SocketAddress client,
            CompletionStage<Void> gone) {
        // The token travels in a header that no browser adds by itself, so a page of another origin cannot forge this.
        AdminToken.Verdict verdict = token.check(request.headers().get(HttpHeaderNames.AUTHORIZATION));
        if (verdict != AdminToken.Verdict.GRANTED) {
            return now(refuse(verdict, target.path(), client, " changes the running proxy and"));
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.putAll(body(request));
        parameters.putAll(query(target));
        parameters.putAll(call.parameters());
        String path = target.path();
        AtomicBoolean responded = new AtomicBoolean();
        Callable<AdminResponse> task = guarded(path, () -> {
            try {
                return AdminResponse.ok(call.action().run(parameters, gone));
            } catch (IllegalArgumentException e) {
                return AdminResponse.error(HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage()));
            }
        });
        CompletionStage<AdminResponse> response = workers.action(
                () -> {
                    AdminResponse result = task.call();
                    if (responded.get()) {
                        audit.ended(path, client, result.status());
                    }
                    return result;
                },
                !endpoints.isControl(path),
                endpoints.resultOf(path));
        return response.thenApply(result -> {
            responded.set(true);
            audit.acted(path, parameters, client, result.status());
            return result;
        });
    }

    /**
     * Returns the parameters in a request's body, a JSON object.
     *
     * @throws IllegalArgumentException if the body is something else
     */
    private static Map<String, String> body(FullHttpRequest request) {
        String text = request.content().toString(StandardCharsets.UTF_8).trim();
        Map<String, String> parameters = new LinkedHashMap<>();
        if (!text.startsWith("{")) {
            return parameters; // nothing, or a form of a tool that sends one by default
        }
        try {
            if (JsonReader.read(text) instanceof Map<?, ?> object) {
                object.forEach((name, value) -> parameters.put(String.valueOf(name), String.valueOf(value)));
            }
            return parameters;
        } catch (IOException e) {
            throw new IllegalArgumentException("the body is not a JSON object: " + e.getMessage(), e);
        }
    }

    private CompletionStage<AdminResponse> run(String path, Callable<AdminResponse> task) {
        Callable<AdminResponse> guarded = guarded(path, task);
        return endpoints.isControl(path) ? workers.control(guarded) : workers.view(guarded);
    }

    private static Callable<AdminResponse> guarded(String path, Callable<AdminResponse> task) {
        return () -> {
            try {
                return task.call();
            } catch (InterruptedException e) {
                throw e;
            } catch (IllegalStateException e) {
                LOG.debug("admin request {}: nothing to respond with", path, e);
                return AdminResponse.error(HttpResponseStatus.SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
            } catch (Exception e) {
                LOG.warn("admin request {} failed", path, e);
                return AdminResponse.error(
                        HttpResponseStatus.INTERNAL_SERVER_ERROR, path + " failed: " + e + "; the log has the details");
            }
        };
    }

    /** Returns the refusal of a request that names another host than this endpoint, or null. */
    @Nullable
    AdminResponse misdirected(FullHttpRequest request, SocketAddress client) {
        AdminResponse refusal = hosts.refusal(request.headers().get(HttpHeaderNames.HOST));
        if (refusal != null) {
            audit.misdirected(request.headers().get(HttpHeaderNames.HOST), client);
        }
        return refusal;
    }

    /** Returns whether a request has a wrong token and comes from a host that has sent many. */
    boolean isSlowed(FullHttpRequest request, SocketAddress client) {
        String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        return authorization != null
                && pace.isSlowed(client)
                && token.check(authorization) != AdminToken.Verdict.GRANTED;
    }

    TokenPace pace() {
        return pace;
    }

    private AdminResponse refuse(AdminToken.Verdict verdict, String path, SocketAddress client, String what) {
        audit.refused(path, client, verdict);
        if (verdict == AdminToken.Verdict.WRONG) {
            pace.wrong(client);
        }
        String why = path + what;
        if (verdict == AdminToken.Verdict.NOT_CONFIGURED) {
            return AdminResponse.error(
                    HttpResponseStatus.FORBIDDEN,
                    why + " is off, as no token is configured; set admin.token in the configuration");
        }
        String problem = verdict == AdminToken.Verdict.MISSING
                ? " needs the token; send it as 'Authorization: Bearer <token>'"
                : " needs the token, and the one sent is not the one in admin.token";
        return AdminResponse.error(HttpResponseStatus.UNAUTHORIZED, why + problem)
                .with("WWW-Authenticate", "Bearer realm=\"understudy\"");
    }

    private AdminResponse unknown(String path) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("error", "there is nothing at " + path);
        body.put("endpoints", endpoints.describe());
        return AdminResponse.json(HttpResponseStatus.NOT_FOUND, body);
    }

    private static CompletionStage<AdminResponse> now(AdminResponse response) {
        return CompletableFuture.completedFuture(response);
    }
}
