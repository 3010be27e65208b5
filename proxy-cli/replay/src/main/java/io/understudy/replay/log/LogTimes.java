package io.understudy.replay.log;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the times that servers write. Not thread-safe. */
final class LogTimes {
    private static final long SECOND = 1_000_000;
    private static final long HOUR = 3_600;
    private static final long MINUTE = 60;

    private static final Pattern SECONDS = Pattern.compile("\\d{1,12}(?:\\.\\d*)?|\\.\\d+");
    private static final Pattern TIME =
            Pattern.compile("(?:(\\d{4})-(\\d\\d)-(\\d\\d)[T ]|(\\d\\d)(\\d\\d)(\\d\\d) ) ?(\\d{1,2}):(\\d\\d):(\\d\\d)"
                    + "(?:\\.(?<fraction>\\d*))?(?<zone>Z|[+-]\\d\\d:\\d\\d)?");
    /** The group of {@link #TIME}, before those of minutes and seconds. */
    private static final int HOUR_OF_DAY = 7;
    /** Of a time; behind it a line may go on. */
    private static final int LONGEST = 64;

    private final ZoneId zone;
    private long offsetHour = Long.MIN_VALUE;
    private long offsetSeconds;
    /** Whether the time last read names its zone. */
    private boolean zoned;

    LogTimes(ZoneId zone) {
        this.zone = zone;
    }

    boolean zoned() {
        return zoned;
    }

    /**
     * Returns the microseconds since 1970 of {@code 260115 9:05:01}, with or without a fraction, or of
     * {@code 2026-01-15T09:05:01.123456Z}; {@link LogEvent#UNKNOWN} when it is neither.
     *
     * @param utc whether a time without zone is in UTC
     */
    long read(byte[] bytes, int from, int end, boolean utc) {
        zoned = false;
        Matcher time =
                TIME.matcher(new String(bytes, from, Math.min(end - from, LONGEST), StandardCharsets.ISO_8859_1));
        if (!time.lookingAt() || number(time, HOUR_OF_DAY) > 24) {
            return LogEvent.UNKNOWN;
        }
        String given = time.group("zone");
        zoned = given != null;
        long days;
        long ahead;
        try {
            int year = number(time, 4);
            days = (time.group(1) == null
                            ? LocalDate.of(year < 70 ? 2000 + year : 1900 + year, number(time, 5), number(time, 6))
                            : LocalDate.of(number(time, 1), number(time, 2), number(time, 3)))
                    .toEpochDay();
            ahead = given == null ? 0 : ZoneOffset.of(given).getTotalSeconds();
        } catch (DateTimeException e) {
            return LogEvent.UNKNOWN;
        }
        long seconds = days * 24 * HOUR
                + number(time, HOUR_OF_DAY) * HOUR
                + number(time, HOUR_OF_DAY + 1) * MINUTE
                + number(time, HOUR_OF_DAY + 2);
        String fraction = Objects.requireNonNullElse(time.group("fraction"), "");
        long micros = Long.parseLong((fraction + "000000").substring(0, 6));
        return (seconds - (zoned ? ahead : utc ? 0 : offset(seconds))) * SECOND + micros;
    }

    /** Returns the number in a group, or 0 where the time has none. */
    private static int number(Matcher time, int group) {
        return time.group(group) == null ? 0 : Integer.parseInt(time.group(group));
    }

    private long offset(long localSeconds) {
        long hour = localSeconds / HOUR;
        if (hour != offsetHour) {
            offsetHour = hour;
            LocalDateTime local = LocalDateTime.ofEpochSecond(localSeconds, 0, ZoneOffset.UTC);
            offsetSeconds = local.atZone(zone).getOffset().getTotalSeconds();
        }
        return offsetSeconds;
    }

    /** Returns the microseconds of a number of seconds such as {@code 0.001234}, or {@link LogEvent#UNKNOWN}. */
    static long micros(byte[] bytes, int from, int end) {
        String text = new String(bytes, from, end - from, StandardCharsets.ISO_8859_1);
        return SECONDS.matcher(text).matches()
                ? new BigDecimal(text).movePointRight(6).longValue()
                : LogEvent.UNKNOWN;
    }

    static long whole(byte[] bytes, int from, int end) {
        long value = 0;
        for (int p = from; p < end && bytes[p] >= '0' && bytes[p] <= '9'; p++) {
            value = value * 10 + bytes[p] - '0';
        }
        return value;
    }
}
