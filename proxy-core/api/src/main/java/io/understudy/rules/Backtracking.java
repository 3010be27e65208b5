package io.understudy.rules;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Searches for texts on which matching an expression takes exponential time: short texts of the expression's own
 * characters, ended by one that does not match. Java's engine remembers where a repetition has failed before, so the
 * textbook's {@code (a+)+$} is only slow; with a back-reference it cannot, and {@code (a+)+\1b} does not end.
 * Expressions that are merely slow, and those not found here, meet the bound on each search's steps.
 */
final class Backtracking {
    /**
     * With this many repetitions even the slowest exponential growth exceeds the bound, while cubic growth stays far
     * below it.
     */
    private static final int REPEATS = 30;

    private static final int STEPS = 5_000_000;
    private static final String USUAL = "a0 _,(?";
    private static final String META = "\\^$.|?*+()[]{}";
    private static final char NOTHING_MATCHES = '\u0001';

    private Backtracking() {}

    /**
     * Returns a text on which the search does not end in reasonable time, shortened for a message, or null when none
     * was found.
     */
    static @Nullable String endlessFor(String regex, Pattern pattern) {
        String begin = literalBegin(regex);
        for (String unit : units(regex)) {
            String row = unit.repeat(REPEATS);
            if (isEndless(pattern, row) || !begin.isEmpty() && isEndless(pattern, begin + row)) {
                return (begin + unit.repeat(3)).toLowerCase(java.util.Locale.ROOT) + "…";
            }
        }
        return null;
    }

    private static boolean isEndless(Pattern pattern, String row) {
        try {
            pattern.matcher(new TextPattern.CountedText(row + NOTHING_MATCHES, STEPS))
                    .find();
            return false;
        } catch (TextPattern.CountedText.Exhausted | StackOverflowError e) {
            return true;
        }
    }

    /** Returns the expression's characters, singly and in pairs, and some that classes usually match. */
    private static Set<String> units(String regex) {
        Set<String> units = new LinkedHashSet<>();
        String literals = regex.replaceAll("\\\\[a-zA-Z]", "");
        char before = 0;
        for (char character : (USUAL + literals).toCharArray()) {
            if (META.indexOf(character) >= 0) {
                continue;
            }
            units.add(String.valueOf(character));
            if (before != 0) {
                units.add("" + before + character);
            }
            before = character;
        }
        return units;
    }

    /** Returns the literal text that every match begins with, as far as the expression states it. */
    private static String literalBegin(String regex) {
        int from = regex.startsWith("^") ? 1 : 0;
        int to = from;
        while (to < regex.length() && META.indexOf(regex.charAt(to)) < 0) {
            to++;
        }
        return regex.substring(from, to);
    }
}
