/**
 * Binds a YAML document to records and reports every problem at once, each with its position and remedy. Knows nothing
 * of what is configured: records bring their own defaults and checks, value types bring a {@code parse(String)}.
 */
@org.jspecify.annotations.NullMarked
package io.understudy.config.bind;
