/**
 * Binds a YAML document to records and says, for every problem at once, where it is and what to do. Knows nothing of
 * what is configured: the records bring their own defaults and checks, value types bring a {@code parse(String)}.
 */
@org.jspecify.annotations.NullMarked
package io.understudy.config.bind;
