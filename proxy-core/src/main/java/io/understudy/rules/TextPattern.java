package io.understudy.rules;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression that is looked for anywhere in a statement's normalised text (literals as {@code ?}), without
 * regard to case, since statements of one digest may differ in it. A leading {@code !} negates.
 */
public final class TextPattern implements Term {

    /** An example of the syntax. */
    public static final String EXAMPLE = "^insert into audit_";

    /** Characters that one search may look at: some hundred times the longest normalised text, well below 1 ms. */
    static final int MAX_STEPS = 100_000;

    /** What a search found. */
    enum Found {
        YES,
        NO,
        /** The search went beyond its bound and was given up. */
        ABORTED
    }

    private final String text;
    private final boolean negated;
    private final Pattern pattern;

    private TextPattern(String text, boolean negated, Pattern pattern) {
        this.text = text;
        this.negated = negated;
        this.pattern = pattern;
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException when it is empty or not one; the message says where
     */
    public static TextPattern parse(String text) {
        boolean negated = text.startsWith("!");
        String regex = negated ? text.substring(1) : text;
        if (regex.isEmpty()) {
            throw new IllegalArgumentException("expected a regular expression such as " + EXAMPLE);
        }
        try {
            Pattern compiled = Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
            String endless = Backtracking.endlessFor(regex, compiled);
            if (endless != null) {
                throw new IllegalArgumentException("expected an expression whose search ends, but '" + text
                        + "' backtracks without end on texts such as '" + endless
                        + "'; write it without a repetition inside a repetition");
            }
            return new TextPattern(text, negated, compiled);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("expected a Java regular expression but found '" + text + "': "
                    + e.getDescription() + " near index " + e.getIndex());
        }
    }

    @Override
    public boolean negated() {
        return negated;
    }

    Found search(String normalized) {
        try {
            return pattern.matcher(new CountedText(normalized, MAX_STEPS)).find() ? Found.YES : Found.NO;
        } catch (CountedText.Exhausted | StackOverflowError e) {
            // The engine recurses for groups under a star, so that a long text may end its stack before its steps.
            return Found.ABORTED;
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TextPattern that && that.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
