package io.understudy.config;

import org.jspecify.annotations.Nullable;

/**
 * Where metrics go beside {@code /metrics}.
 *
 * @param otlp null: they are not pushed
 */
public record MetricsConfig(@Nullable OtlpConfig otlp) {}
