package io.understudy.rules;

/**
 * A text that permits a limited number of reads. The regular expression engine has no bound of its own; every step of
 * its backtracking reads a character, so this limits every expression.
 */
final class CountedText implements CharSequence {

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
