package io.understudy.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How the collector's certificate is checked. Its host name always is.
 *
 * @param ca authorities that must have signed it (PEM); absent: those of the Java runtime
 */
public record OtlpTls(@Nullable Path ca) {}
