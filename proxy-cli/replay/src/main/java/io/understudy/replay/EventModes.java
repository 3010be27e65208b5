package io.understudy.replay;

import io.understudy.replay.log.LogEvent;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlModes;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * How the texts of a log are tokenised: by the {@code sql_mode} and character set that a capture has of their session.
 * A log that has none is read with the server's default. Not thread-safe.
 */
public final class EventModes {
    private @Nullable String settings;
    private int modes = SqlModes.NONE;

    /** Returns the {@link SqlModes} of the event's session. */
    public int of(LogEvent event) {
        String known = event.settings();
        if (known == null) {
            return SqlModes.NONE;
        }
        if (!known.equals(settings)) {
            modes = parse(known);
            settings = known;
        }
        return modes;
    }

    private static int parse(String assignments) {
        byte[] set = ("SET " + assignments).getBytes(StandardCharsets.UTF_8);
        SetStatement parsed = SetStatement.parse(set, 0, set.length, SqlModes.NONE);
        int modes = SqlModes.NONE;
        if (parsed != null) {
            for (SetStatement.Assignment one : parsed.assignments()) {
                String value = one.literalValue();
                modes = switch (one.name()) {
                    case "sql_mode" ->
                        value == null ? modes | SqlModes.QUOTES_UNKNOWN : SqlModes.withSqlMode(modes, value);
                    case "names", "character_set_client" -> SqlModes.withCharset(modes, firstWord(value));
                    default -> modes;
                };
            }
        }
        return modes;
    }

    /** Returns the character set of {@code x COLLATE y}. */
    private static @Nullable String firstWord(@Nullable String value) {
        return value == null ? null : value.strip().split("\\s", 2)[0];
    }
}
