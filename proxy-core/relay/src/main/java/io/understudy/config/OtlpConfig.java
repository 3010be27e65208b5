package io.understudy.config;

import io.understudy.base.HasWarnings;
import io.understudy.base.Secret;
import io.understudy.config.bind.Checks;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The push of metrics to an OpenTelemetry collector: OTLP over HTTP, as protobuf.
 *
 * @param url to which they are posted
 * @param interval from one push to the next
 * @param headers of each request, by name
 * @param attributes of the resource, by name; {@code service.name} and {@code service.instance.id} have defaults
 * @param tls null: the authorities of the Java runtime
 */
public record OtlpConfig(
        HttpUrl url,
        Duration interval,
        Map<String, Secret> headers,
        Map<String, String> attributes,
        @Nullable OtlpTls tls)
        implements HasWarnings {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int GRPC = 4317;
    private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    /** Set by the sender, or not allowed by it. */
    private static final Pattern RESERVED = Pattern.compile(
            "(?i)connection|content-length|content-type|content-encoding|expect|host|transfer-encoding|upgrade");

    private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7E]*");

    public OtlpConfig {
        interval = interval == null ? Duration.ofSeconds(60) : interval;
        headers = headers == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        attributes = attributes == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
        Checks checks = new Checks()
                .required(url, "url", "where the collector receives metrics, such as " + HttpUrl.EXAMPLE)
                .that(
                        interval.compareTo(SHORTEST) >= 0 && interval.compareTo(LONGEST) <= 0,
                        "interval",
                        "expected 1s to 1h");
        headers.forEach((name, value) -> {
            checks.that(HEADER.matcher(name).matches(), "headers", "'" + name + "' is no name of a header");
            checks.that(
                    !RESERVED.matcher(name).matches(), "headers", "'" + name + "' is set by the proxy; remove it here");
            checks.that(
                    PRINTABLE.matcher(value.reveal()).matches(),
                    "headers",
                    "the value of '" + name + "' has characters that no header may have, such as a line break");
        });
        attributes.forEach(
                (name, value) -> checks.that(!name.isBlank(), "attributes", "the name of an attribute is empty"));
        checks.done();
    }

    @Override
    public List<String> warnings() {
        return new Checks()
                .that(
                        headers.isEmpty() || url.isEncrypted() || url.isLoopback(),
                        "headers",
                        "can be read on the way, as the URL is not https")
                .that(
                        url.uri().getPort() != GRPC,
                        "url",
                        "4317 is the port of OTLP over gRPC, which the proxy does not speak; over HTTP it is 4318")
                .that(tls == null || url.isEncrypted(), "tls", "not used: the URL is not https")
                .lines();
    }
}
