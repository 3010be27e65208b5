package io.understudy.rules;

/**
 * A text that may be looked at so many times. The regular expression engine has no bound of its own; every step of its
 * backtracking reads a character, so counting those is a bound that no expression gets around.
 */
final class CountedText implements CharSequence {

    /** The bound was reached. Has no stack trace and is one object: it is thrown where time is short. */
    static final class Exhausted extends RuntimeException {
        private static final long serialVersionUID = 1L;
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
