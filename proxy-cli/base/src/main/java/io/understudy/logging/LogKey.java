package io.understudy.logging;

import org.jspecify.annotations.Nullable;

/** A key of an event, such as {@code session}, with its value. */
record LogKey(String key, @Nullable Object value) {}
