package io.understudy.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.base.JsonReader;
import io.understudy.config.LogFormat;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class LogLineTest {
    private static final ZonedDateTime TIME = ZonedDateTime.parse("2026-11-22T13:26:17.123456+01:00");
    private static final String HEAD = "2026-11-22T13:26:17.123+01:00 ";

    private static LogEntry event(String message, @Nullable Throwable failure, LogKey... keys) {
        return new LogEntry(
                Level.WARN, "io.understudy.plugins.mirror.X", "mirror", message, message, Arrays.asList(keys), failure);
    }

    private static String text(LogEntry event) {
        StringBuilder out = new StringBuilder();
        LogLine.append(out, event, TIME, LogFormat.TEXT);
        return out.toString();
    }

    private static Map<?, ?> json(LogEntry event) throws IOException {
        StringBuilder out = new StringBuilder();
        LogLine.append(out, event, TIME, LogFormat.JSON);
        assertThat(out.toString()).doesNotContain("\n");
        return Objects.requireNonNull((Map<?, ?>) JsonReader.read(out.toString()));
    }

    @Test
    void keysFollowTheMessage() throws IOException {
        LogEntry event = event(
                "standby lost", null, new LogKey("session", 7L), new LogKey("user", "a b"), new LogKey("reason", ""));
        assertThat(text(event))
                .isEqualTo(HEAD + "WARN  X - standby lost session=7 user=\"a b\" reason=\"\" plugin=mirror");
        assertThat(json(event))
                .isEqualTo(Map.of(
                        "time", "2026-11-22T13:26:17.123+01:00",
                        "level", "WARN",
                        "logger", "io.understudy.plugins.mirror.X",
                        "message", "standby lost",
                        "session", 7L,
                        "user", "a b",
                        "reason", "",
                        "plugin", "mirror"));
    }

    /** What comes from outside neither forges a line or a key, nor steers a terminal. */
    @Test
    void aLineIsOneLine() throws IOException {
        LogEntry event = event(
                "first\nsecond\r\nthird\n",
                null,
                new LogKey("user", "x\n2026 ERROR \u001b[31m\" admin=1"),
                new LogKey("message", "another"));
        assertThat(text(event))
                .isEqualTo(HEAD + "WARN  X - first | second | third user=\"x | 2026 ERROR \\u001b[31m\\\" admin=1\""
                        + " message=another plugin=mirror");
        assertThat(json(event).get("message")).isEqualTo("first\nsecond\r\nthird\n");
    }

    @Test
    void anErrorHasItsCausesAndTheInnermostFrames() throws IOException {
        Exception failure = new IllegalStateException("outer", new IOException("inner"));
        String line = text(event("failed", failure));
        assertThat(line)
                .contains("error=\"java.lang.IllegalStateException: outer, caused by java.io.IOException: inner\"")
                .contains("stack=\"io.understudy.logging.LogLineTest.anErrorHasItsCausesAndTheInnermostFrames(")
                .doesNotContain("\n");
        assertThat(String.valueOf(json(event("failed", failure)).get("stack"))).contains("LogLineTest.java:");
    }

    @Test
    void aLongTextIsCut() {
        assertThat(text(event("x".repeat(LogLine.LONGEST + 5), null)))
                .contains("xxx… (5 more characters)")
                .hasSizeLessThan(LogLine.LONGEST + 200);
    }

    @Test
    void thePrioritiesAreThoseOfSyslog() {
        assertThat(List.of(Level.ERROR, Level.WARN, Level.INFO, Level.DEBUG, Level.TRACE))
                .extracting(EventLog::priority)
                .containsExactly("<3>", "<4>", "<6>", "<7>", "<7>");
    }
}
