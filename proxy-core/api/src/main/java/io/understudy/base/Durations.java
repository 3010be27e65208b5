package io.understudy.base;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as a number and a unit: {@code 250ms}, {@code 5s}, {@code 10m}, {@code 1h}, {@code 2d}. */
public final class Durations {

    /** Regular expression of a duration, for schemas. */
    public static final String PATTERN = "^[0-9]{1,15}(us|ms|s|m|h|d)$";

    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,15})(us|ms|s|m|h|d)");
    private static final Map<String, Long> MICROS = Map.of(
            "us", 1L, "ms", 1_000L, "s", 1_000_000L, "m", 60_000_000L, "h", 3_600_000_000L, "d", 86_400_000_000L);

    private Durations() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException if the text is no duration; the message says what was expected
     */
    public static Duration parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "expected a duration such as 250ms, 5s, 10m, 1h or 2d but found '" + text + "'");
        }
        long unit = MICROS.getOrDefault(matcher.group(2), 1L);
        long number = Long.parseLong(matcher.group(1));
        // Timers take nanoseconds in a long: at most 292 years.
        if (number > Long.MAX_VALUE / 1_000 / unit) {
            throw new IllegalArgumentException("'" + text + "' is longer than a duration can be (292 years)");
        }
        return Duration.ofNanos(number * unit * 1_000);
    }

    /** Returns the shortest text that {@link #parse} reads back to the same duration (of whole microseconds). */
    public static String format(Duration duration) {
        long micros = duration.toNanos() / 1_000;
        for (String unit : new String[] {"d", "h", "m", "s", "ms"}) {
            long size = MICROS.getOrDefault(unit, 1L);
            if (micros != 0 && micros % size == 0) {
                return micros / size + unit;
            }
        }
        return micros == 0 ? "0s" : micros + "us";
    }
}
