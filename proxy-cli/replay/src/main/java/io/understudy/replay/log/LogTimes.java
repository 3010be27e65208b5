package io.understudy.replay.log;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;

/** Reads the times that servers write. Not thread-safe. */
final class LogTimes {
    private static final long SECOND = 1_000_000;
    private static final long HOUR = 3_600;
    private static final long MINUTE = 60;

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
        int p = from;
        int year;
        int month;
        int day;
        if (end - from >= 19 && bytes[from + 4] == '-' && (bytes[from + 10] == 'T' || bytes[from + 10] == ' ')) {
            year = number(bytes, p, p + 4);
            month = number(bytes, p + 5, p + 7);
            day = number(bytes, p + 8, p + 10);
            p += 11;
        } else if (end - from >= 14 && bytes[from + 6] == ' ') {
            int short2 = number(bytes, p, p + 2);
            year = short2 < 0 ? -1 : short2 < 70 ? 2000 + short2 : 1900 + short2;
            month = number(bytes, p + 2, p + 4);
            day = number(bytes, p + 4, p + 6);
            p += 7;
        } else {
            return LogEvent.UNKNOWN;
        }
        if (p < end && bytes[p] == ' ') {
            p++;
        }
        int colon = p;
        while (colon < end && bytes[colon] != ':') {
            colon++;
        }
        if (colon + 6 > end || bytes[colon + 3] != ':') {
            return LogEvent.UNKNOWN;
        }
        int hour = number(bytes, p, colon);
        int minute = number(bytes, colon + 1, colon + 3);
        int second = number(bytes, colon + 4, colon + 6);
        if (year < 0 || hour < 0 || hour > 24 || minute < 0 || second < 0) {
            return LogEvent.UNKNOWN;
        }
        long days;
        try {
            days = LocalDate.of(year, month, day).toEpochDay();
        } catch (DateTimeException e) {
            return LogEvent.UNKNOWN;
        }
        p = colon + 6;
        long micros = 0;
        if (p < end && bytes[p] == '.') {
            long unit = SECOND / 10;
            for (p++; p < end && bytes[p] >= '0' && bytes[p] <= '9'; p++) {
                micros += (bytes[p] - '0') * unit;
                unit /= 10;
            }
        }
        long seconds = days * 24 * HOUR + hour * HOUR + minute * MINUTE + second;
        if (p < end && bytes[p] == 'Z') {
            zoned = true;
        } else if (p + 5 < end && (bytes[p] == '+' || bytes[p] == '-')) {
            zoned = true;
            long offset = number(bytes, p + 1, p + 3) * HOUR + number(bytes, p + 4, p + 6) * MINUTE;
            seconds -= bytes[p] == '+' ? offset : -offset;
        } else if (!utc) {
            seconds -= offset(seconds);
        }
        return seconds * SECOND + micros;
    }

    private long offset(long localSeconds) {
        long hour = localSeconds / HOUR;
        if (hour != offsetHour) {
            offsetHour = hour;
            LocalDateTime local = LocalDateTime.ofEpochSecond(localSeconds, 0, java.time.ZoneOffset.UTC);
            offsetSeconds = local.atZone(zone).getOffset().getTotalSeconds();
        }
        return offsetSeconds;
    }

    private static int number(byte[] bytes, int from, int end) {
        int value = 0;
        for (int p = from; p < end; p++) {
            int digit = bytes[p] - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    /** Returns the microseconds of a number of seconds such as {@code 0.001234}, or {@link LogEvent#UNKNOWN}. */
    static long micros(byte[] bytes, int from, int end) {
        long whole = 0;
        long fraction = 0;
        long unit = SECOND;
        boolean any = false;
        for (int p = from; p < end; p++) {
            int digit = bytes[p] - '0';
            if (digit >= 0 && digit <= 9) {
                any = true;
                if (unit == SECOND) {
                    whole = whole * 10 + digit;
                } else {
                    fraction += digit * unit;
                    unit /= 10;
                }
            } else if (bytes[p] == '.' && unit == SECOND) {
                unit = SECOND / 10;
            } else {
                return LogEvent.UNKNOWN;
            }
            if (whole > Long.MAX_VALUE / SECOND / 100) {
                return LogEvent.UNKNOWN;
            }
        }
        return any ? whole * SECOND + fraction : LogEvent.UNKNOWN;
    }

    static long whole(byte[] bytes, int from, int end) {
        long value = 0;
        for (int p = from; p < end && bytes[p] >= '0' && bytes[p] <= '9'; p++) {
            value = value * 10 + bytes[p] - '0';
        }
        return value;
    }
}
