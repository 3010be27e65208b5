package io.understudy.logging;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * One event.
 *
 * @param plugin the id of the plugin that logs it, or null
 * @param pattern the message with its placeholders: the same for all events of one kind
 */
record LogEntry(
        Level level,
        String logger,
        @Nullable String plugin,
        String pattern,
        String message,
        List<LogKey> keys,
        @Nullable Throwable failure) {}
