package io.understudy.rules;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression, searched for anywhere in a statement's normalised text (literals as {@code ?}). Not
 * case-sensitive, because statements of one digest may differ in case. A leading {@code !} negates it.
 */
public final class TextPattern extends Term {

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "^insert into audit_";

    /**
     * Maximum number of characters that one search may read: some hundred times the longest normalised text, well below
     * 1 ms.
     */
    static final int MAX_STEPS = 100_000;

    /** With the classes of Unicode a combining mark is part of a word; else \b walks back over all that are there. */
    private static final int FLAGS = Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE | Pattern.UNICODE_CHARACTER_CLASS;

    /** The result of a search. */
    enum Found {
        YES,
        NO,
        /** The search exceeded its bound and was aborted. */
        ABORTED
    }

    private final Pattern pattern;

    private TextPattern(String text, Pattern pattern) {
        super(text);
        this.pattern = pattern;
    }

    /**
     * Parses an expression.
     *
     * @throws IllegalArgumentException when it is empty or not valid; the message says where
     */
    public static TextPattern parse(String text) {
        String regex = plain(text);
        if (regex.isEmpty()) {
            throw new IllegalArgumentException("expected a regular expression such as " + EXAMPLE);
        }
        try {
            Pattern compiled = Pattern.compile(regex, FLAGS);
            String endless = Backtracking.endlessFor(regex, compiled);
            if (endless != null) {
                throw new IllegalArgumentException("expected an expression whose search ends, but '" + text
                        + "' backtracks without end on texts such as '" + endless
                        + "'; write it without a repetition inside a repetition");
            }
            return new TextPattern(text, compiled);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("expected a Java regular expression but found '" + text + "': "
                    + e.getDescription() + " near index " + e.getIndex());
        }
    }

    Found search(String normalized) {
        try {
            return pattern.matcher(new CountedText(normalized, MAX_STEPS)).find() ? Found.YES : Found.NO;
        } catch (CountedText.Exhausted | StackOverflowError e) {
            // The engine recurses for groups under a star, so a long text may exhaust the stack before the steps.
            return Found.ABORTED;
        }
    }

    /**
     * A text that permits a limited number of reads. The regular expression engine has no bound of its own; every step
     * of its backtracking reads a character, so this limits every expression.
     */
    static final class CountedText implements CharSequence {

        /** Thrown when the limit is reached. A single object without a stack trace, to be cheap on the hot path. */
        static final class Exhausted extends RuntimeException {
            private static final long serialVersionUID = 1L;

            @SuppressWarnings("StaticAssignmentOfThrowable") // has no stack trace that could mislead
            private static final Exhausted INSTANCE = new Exhausted();

            private Exhausted() {
                super("the regular expression took too many steps", null, false, false);
            }
        }

        private final CharSequence text;
        private int left;

        CountedText(CharSequence text, int steps) {
            this.text = text;
            left = steps;
        }

        @Override
        public char charAt(int index) {
            if (--left < 0) {
                throw Exhausted.INSTANCE;
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new CountedText(text.subSequence(start, end), left);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
