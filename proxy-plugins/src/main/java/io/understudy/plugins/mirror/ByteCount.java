package io.understudy.plugins.mirror;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A size as the configuration writes it: {@code 64KiB}, {@code 16MiB}.
 *
 * @param bytes at least 1
 */
public record ByteCount(long bytes) {
    /** For the schema. */
    public static final String PATTERN = "^[0-9]+ ?([KMG]i?B|B)?$";

    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,12}) ?([KMG]?)(i?)B?", Pattern.CASE_INSENSITIVE);

    /** @throws IllegalArgumentException for anything else, with what was expected */
    public static ByteCount parse(String text) {
        Matcher matcher = SYNTAX.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("expected a size such as 64MiB but found '" + text + "'");
        }
        long unit = matcher.group(3).isEmpty() ? 1000 : 1024;
        long factor = switch (matcher.group(2).toUpperCase(Locale.ROOT)) {
            case "K" -> unit;
            case "M" -> unit * unit;
            case "G" -> unit * unit * unit;
            default -> 1;
        };
        long bytes = Math.multiplyExact(Long.parseLong(matcher.group(1)), factor);
        if (bytes < 1) {
            throw new IllegalArgumentException("expected a size of at least 1 byte but found '" + text + "'");
        }
        return new ByteCount(bytes);
    }

    @Override
    public String toString() {
        return bytes % (1 << 20) == 0 ? (bytes >> 20) + "MiB" : bytes % 1024 == 0 ? bytes / 1024 + "KiB" : bytes + "B";
    }
}
