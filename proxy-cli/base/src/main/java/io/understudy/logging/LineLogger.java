package io.understudy.logging;

import io.understudy.config.LogLevel;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/** Passes the events of one name to {@link EventLog}, unless its level excludes them. Thread-safe. */
@SuppressWarnings("serial")
final class LineLogger extends LegacyAbstractLogger implements LoggingEventAware {
    private static final long serialVersionUID = 1;

    /** The settings of this name, looked up once until they change. */
    private record Seen(
            LogSettings settings, LogLevel level, @Nullable String plugin) {}

    private transient volatile @Nullable Seen seen;

    LineLogger(String name) {
        this.name = name;
    }

    @SuppressWarnings("ReferenceEquality") // a reload brings another object
    private Seen seen() {
        LogSettings now = EventLog.settings();
        Seen last = seen;
        if (last == null || last.settings() != now) {
            last = new Seen(now, now.level(name), now.plugin(name));
            seen = last;
        }
        return last;
    }

    private boolean logs(LogLevel level) {
        return seen().level().compareTo(level) >= 0;
    }

    @Override
    public boolean isTraceEnabled() {
        return logs(LogLevel.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return logs(LogLevel.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return logs(LogLevel.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return logs(LogLevel.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return logs(LogLevel.ERROR);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            @Nullable String pattern,
            Object @Nullable [] arguments,
            @Nullable Throwable failure) {
        write(level, pattern, arguments, List.of(), failure);
    }

    @Override
    public void log(LoggingEvent event) {
        List<LogKey> keys = event.getKeyValuePairs() == null
                ? List.of()
                : event.getKeyValuePairs().stream()
                        .map(pair -> new LogKey(pair.key, pair.value))
                        .toList();
        write(event.getLevel(), event.getMessage(), event.getArgumentArray(), keys, event.getThrowable());
    }

    private void write(
            Level level,
            @Nullable String pattern,
            Object @Nullable [] arguments,
            List<LogKey> keys,
            @Nullable Throwable failure) {
        String message = MessageFormatter.basicArrayFormat(pattern, arguments);
        EventLog.write(new LogEntry(
                level, name, seen().plugin(), String.valueOf(pattern), message == null ? "" : message, keys, failure));
    }
}
