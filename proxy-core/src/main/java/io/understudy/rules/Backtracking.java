package io.understudy.rules;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Looks for texts on which an expression's search takes exponential time: short texts made of the expression's own
 * characters, ended by something that does not match. Java's engine remembers where a repetition has failed before, so that
 * the textbook's {@code (a+)+$} is only slow; with a back-reference it cannot, and {@code (a+)+\1b} does not end. What is slow,
 * and what this does not find, meets the bound on each search's steps.
 */
final class Backtracking {
    /** With as many repetitions even the slowest growth that is exponential is beyond the bound, and a cubic one far below. */
    private static final int REPEATS = 30;

    private static final int STEPS = 5_000_000;
    private static final String USUAL = "a0 _,(?";
    private static final String META = "\\^$.|?*+()[]{}";
    private static final char NOTHING_MATCHES = '\u0001';

    private Backtracking() {}

    /** A text on which the search does not end in reasonable time, shortened for a message; null when none was found. */
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
            pattern.matcher(new CountedText(row + NOTHING_MATCHES, STEPS)).find();
            return false;
        } catch (CountedText.Exhausted | StackOverflowError e) {
            return true;
        }
    }

    /** The expression's characters, one by one and in pairs, and some that classes usually match. */
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

    /** What a match begins with, as far as the expression says it literally. */
    private static String literalBegin(String regex) {
        int from = regex.startsWith("^") ? 1 : 0;
        int to = from;
        while (to < regex.length() && META.indexOf(regex.charAt(to)) < 0) {
            to++;
        }
        return regex.substring(from, to);
    }
}
