/** Metrics pushed to an OpenTelemetry collector: the content of {@code /metrics} by OTLP over HTTP. */
@NullMarked
package io.understudy.otlp;

import org.jspecify.annotations.NullMarked;
