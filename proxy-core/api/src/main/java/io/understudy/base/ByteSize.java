package io.understudy.base;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes: {@code 512B}, {@code 64KiB}, {@code 16MiB}, {@code 1GiB}; {@code KB}, {@code MB} and {@code GB}
 * are powers of 1000.
 *
 * @param bytes zero or more
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {

    /** Regular expression of a size, for schemas. */
    public static final String PATTERN = "^[0-9]{1,18}(B|KB|KiB|MB|MiB|GB|GiB)$";

    /** An example of the syntax. */
    public static final String EXAMPLE = "64KiB";

    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,18})(B|KB|KiB|MB|MiB|GB|GiB)");
    private static final Map<String, Long> UNITS = Map.of(
            "B",
            1L,
            "KB",
            1_000L,
            "KiB",
            1L << 10,
            "MB",
            1_000_000L,
            "MiB",
            1L << 20,
            "GB",
            1_000_000_000L,
            "GiB",
            1L << 30);

    public ByteSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size cannot be negative: " + bytes);
        }
    }

    /**
     * Parses a size.
     *
     * @throws IllegalArgumentException if the text is no size; the message says what was expected
     */
    public static ByteSize parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "expected a size such as 512B, 64KiB, 16MiB or 1GiB but found '" + text + "'");
        }
        long number = Long.parseLong(matcher.group(1));
        long unit = UNITS.getOrDefault(matcher.group(2), 1L);
        if (number > Long.MAX_VALUE / unit) {
            throw new IllegalArgumentException("'" + text + "' is larger than a size can be (8 EiB)");
        }
        return new ByteSize(number * unit);
    }

    /** Returns the size as an int, at most {@link Integer#MAX_VALUE}. */
    public int toInt() {
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    @Override
    public int compareTo(ByteSize other) {
        return Long.compare(bytes, other.bytes);
    }

    /** Returns the shortest text that {@link #parse} reads back. */
    @Override
    public String toString() {
        if (bytes != 0) {
            for (String unit : new String[] {"GiB", "GB", "MiB", "MB", "KiB", "KB"}) {
                long size = UNITS.getOrDefault(unit, 1L);
                if (bytes % size == 0) {
                    return bytes / size + unit;
                }
            }
        }
        return bytes + "B";
    }
}
