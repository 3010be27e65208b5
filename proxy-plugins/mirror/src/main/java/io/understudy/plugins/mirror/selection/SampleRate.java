package io.understudy.plugins.mirror.selection;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A share of statements or sessions: {@code 10%}, {@code 0.5%}, {@code 100%}, or {@code adaptive}.
 *
 * @param millionths 0 to 1,000,000, or -1 for a share that each standby's coldness decides
 */
public record SampleRate(int millionths) {
    /** Regular expression of a rate, for schemas. */
    public static final String PATTERN = "^([0-9]{1,3}(\\.[0-9]{1,4})? ?%|adaptive)$";

    public static final int ALL = 1_000_000;
    static final SampleRate ADAPTIVE = new SampleRate(-1);
    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,4})?) ?%");

    /**
     * Parses a rate.
     *
     * @throws IllegalArgumentException if the text is no rate; the message says what was expected
     */
    public static SampleRate parse(String text) {
        if (text.trim().equals("adaptive")) {
            return ADAPTIVE;
        }
        Matcher matcher = SYNTAX.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "expected a percentage such as 10%, or adaptive, but found '" + text + "'");
        }
        BigDecimal percent = new BigDecimal(matcher.group(1));
        if (percent.compareTo(BigDecimal.valueOf(100)) > 0) {
            throw new IllegalArgumentException("expected at most 100% but found '" + text + "'");
        }
        return new SampleRate(percent.movePointRight(4).intValueExact());
    }

    /** Returns the rate for a share from 0 to 1. */
    public static SampleRate of(double share) {
        return new SampleRate((int) Math.round(share * ALL));
    }

    public boolean isAdaptive() {
        return millionths < 0;
    }

    /** Returns the share, from 0 to 1. */
    public double share() {
        return (double) millionths / ALL;
    }

    /** Returns whether the rate selects {@code random}, a number spread evenly over all ints. */
    public boolean takes(int random) {
        return Integer.remainderUnsigned(random, ALL) < millionths;
    }

    @Override
    public String toString() {
        if (isAdaptive()) {
            return "adaptive";
        }
        return BigDecimal.valueOf(millionths, 4).stripTrailingZeros().toPlainString() + "%";
    }
}
