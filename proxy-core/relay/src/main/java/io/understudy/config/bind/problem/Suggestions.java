package io.understudy.config.bind.problem;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** "Did you mean": the known word nearest to an unknown one. */
public final class Suggestions {

    private static final int MAX_DISTANCE = 3;

    private Suggestions() {}

    /** Returns the nearest known word, or null if none is near enough. */
    public static @Nullable String nearest(String word, Collection<String> known) {
        String folded = fold(word);
        String best = null;
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = distance(folded, fold(candidate));
            if (sameLetters(folded, fold(candidate))) {
                distance = Math.min(distance, 1);
            }
            // Three edits turn a short word into any other.
            int bound = Math.min(MAX_DISTANCE, Math.max(1, Math.max(folded.length(), candidate.length()) / 2));
            if (distance <= bound && distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best;
    }

    /** Returns text to append to a message: a suggestion, or the known words. */
    public static String hint(String word, Collection<String> known) {
        String nearest = nearest(word, known);
        if (nearest != null) {
            return "; did you mean '" + nearest + "'?";
        }
        return known.isEmpty() ? "; none is known here" : "; known here: " + String.join(", ", known);
    }

    private static String fold(String word) {
        return word.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
    }

    private static boolean sameLetters(String a, String b) {
        char[] x = a.toCharArray();
        char[] y = b.toCharArray();
        Arrays.sort(x);
        Arrays.sort(y);
        return Arrays.equals(x, y);
    }

    /** Levenshtein distance: insertions, deletions and replacements. */
    static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replace, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
