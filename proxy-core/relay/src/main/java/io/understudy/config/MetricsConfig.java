package io.understudy.config;

import org.jspecify.annotations.Nullable;

/**
 * Where metrics go beside {@code /metrics}.
 *
 * @param otlp null: they are not pushed
 */
public record MetricsConfig(@Nullable OtlpConfig otlp) {

    /** Returns the default: nowhere. */
    public static MetricsConfig defaults() {
        return new MetricsConfig(null);
    }
}
