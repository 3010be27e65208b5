package io.understudy.rules;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression, searched for anywhere in a statement's normalised text (literals as {@code ?}). Not
 * case-sensitive, because statements of one digest may differ in case. A leading {@code !} negates it.
 */
public final class TextPattern implements Term {

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "^insert into audit_";

    /**
     * Maximum number of characters that one search may read: some hundred times the longest normalised text, well below
     * 1 ms.
     */
    static final int MAX_STEPS = 100_000;

    /** The result of a search. */
    enum Found {
        YES,
        NO,
        /** The search exceeded its bound and was aborted. */
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
     * Parses an expression.
     *
     * @throws IllegalArgumentException when it is empty or not valid; the message says where
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
            // The engine recurses for groups under a star, so a long text may exhaust the stack before the steps.
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
