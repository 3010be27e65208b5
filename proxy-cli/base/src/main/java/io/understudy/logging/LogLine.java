package io.understudy.logging;

import io.understudy.base.JsonWriter;
import io.understudy.base.Printable;
import io.understudy.config.LogFormat;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An event as one line, whatever its parts contain. */
final class LogLine {
    /** Longer texts are cut. */
    static final int LONGEST = 8192;

    private static final int MOST_FRAMES = 30;
    private static final int MOST_CAUSES = 5;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT);

    private LogLine() {}

    static void append(StringBuilder out, LogEntry event, ZonedDateTime time, LogFormat format) {
        if (format == LogFormat.JSON) {
            out.append(JsonWriter.write(fields(event, time)));
        } else {
            text(out, event, time);
        }
    }

    private static Map<String, Object> fields(LogEntry event, ZonedDateTime time) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("time", TIME.format(time));
        fields.put("level", event.level().toString());
        fields.put("logger", event.logger());
        fields.put("message", cut(event.message()));
        for (LogKey key : keys(event)) {
            // A key never replaces one of those above.
            fields.putIfAbsent(key.key(), plain(key.value()));
        }
        return fields;
    }

    private static Object plain(@Nullable Object value) {
        return value instanceof Number || value instanceof Boolean ? value : cut(String.valueOf(value));
    }

    private static void text(StringBuilder out, LogEntry event, ZonedDateTime time) {
        String level = event.level().toString();
        TIME.formatTo(time, out);
        out.append(' ').append(level).append(level.length() < 5 ? "  " : " ");
        out.append(
                event.logger(),
                event.logger().lastIndexOf('.') + 1,
                event.logger().length());
        out.append(" - ");
        out.append(Printable.of(cut(event.message())));
        for (LogKey key : keys(event)) {
            out.append(' ').append(key.key()).append('=');
            value(out, cut(String.valueOf(key.value())));
        }
    }

    private static List<LogKey> keys(LogEntry event) {
        List<LogKey> keys = new ArrayList<>(event.keys());
        if (event.plugin() != null && keys.stream().noneMatch(key -> key.key().equals("plugin"))) {
            keys.add(new LogKey("plugin", event.plugin()));
        }
        Throwable failure = event.failure();
        if (failure != null) {
            keys.add(new LogKey("error", causes(failure)));
            keys.add(new LogKey("stack", frames(failure)));
        }
        return keys;
    }

    private static String causes(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        Throwable cause = failure.getCause();
        for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
            text.append(", caused by ").append(cause);
            cause = cause.getCause();
        }
        return text.toString();
    }

    /** Returns the frames of the innermost cause, which say where it happened. */
    private static String frames(Throwable failure) {
        Throwable innermost = failure;
        for (int i = 0; i < MOST_CAUSES && innermost.getCause() != null; i++) {
            innermost = Objects.requireNonNull(innermost.getCause());
        }
        StringBuilder text = new StringBuilder();
        StackTraceElement[] frames = innermost.getStackTrace();
        for (int i = 0; i < Math.min(frames.length, MOST_FRAMES); i++) {
            text.append(i == 0 ? "" : " < ").append(frames[i]);
        }
        return text.toString();
    }

    private static String cut(String text) {
        return text.length() <= LONGEST
                ? text
                : text.substring(0, LONGEST) + "… (" + (text.length() - LONGEST) + " more characters)";
    }

    /** Quotes what would not be read as one value. */
    private static void value(StringBuilder out, String text) {
        boolean bare = !text.isEmpty() && text.chars().noneMatch(c -> c <= ' ' || c == '"' || c == '=' || c == 0x7F);
        if (bare) {
            out.append(Printable.of(text));
        } else {
            out.append('"');
            out.append(Printable.of(text.replace("\\", "\\\\").replace("\"", "\\\"")));
            out.append('"');
        }
    }
}
