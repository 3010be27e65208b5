package io.understudy.replay.option;

import io.understudy.replay.LogFilter;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Options that select events of a log. */
public final class LogFilterOptions {
    private static final long MICROS = 1_000_000;

    @Option(names = "--from", paramLabel = "TIME", description = "First start time, such as 2026-01-15T09:00:00.")
    private @Nullable String from;

    @Option(names = "--until", paramLabel = "TIME", description = "Start time at which to end.")
    private @Nullable String until;

    @Option(names = "--only-user", paramLabel = "USER", description = "Only sessions of that user.")
    private @Nullable String onlyUser;

    @Option(names = "--only-schema", paramLabel = "SCHEMA", description = "Only statements with that default schema.")
    private @Nullable String onlySchema;

    public LogFilter filter(boolean readsOnly, CommandLine line) {
        return new LogFilter(
                readsOnly,
                time("--from", from, Long.MIN_VALUE, line),
                time("--until", until, Long.MAX_VALUE, line),
                onlyUser,
                onlySchema);
    }

    private static long time(String option, @Nullable String text, long otherwise, CommandLine line) {
        if (text == null) {
            return otherwise;
        }
        try {
            OffsetDateTime at = text.endsWith("Z") || text.matches(".*[+-][0-9]{2}:[0-9]{2}")
                    ? OffsetDateTime.parse(text)
                    : LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toOffsetDateTime();
            return at.withOffsetSameInstant(ZoneOffset.UTC).toEpochSecond() * MICROS + at.getNano() / 1_000;
        } catch (DateTimeParseException e) {
            throw new CommandLine.ParameterException(
                    line, option + ": expected a time such as 2026-01-15T09:00:00, with Z for UTC, but found " + text);
        }
    }
}
