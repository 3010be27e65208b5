package io.understudy.sql;

/**
 * Finds where a number ends, and tells numbers from names that start with a digit: {@code 1for} is one token,
 * {@code 1.5for} is two.
 *
 * <p>Separate from the {@link Lexer} because it needs none of its state.
 */
final class Numbers {

    /** Result of {@link #end}: a name that starts with a digit, not a number. */
    static final int NAME = -1;

    private Numbers() {}

    /** Returns the end of the number that starts with the digit at {@code from}, or {@link #NAME}. */
    static int end(byte[] text, int from, int limit) {
        int p = from;
        if (text[from] == '0') {
            int letter = Characters.at(text, p + 1, limit);
            if (letter == 'x' || letter == 'b') {
                return digitsEnd(text, from + 2, limit, letter == 'x');
            }
        }
        int c = Characters.at(text, p, limit);
        while (Characters.isDigit(c)) {
            p++;
            c = Characters.at(text, p, limit);
        }
        if (c == '.') {
            return fractionEnd(text, p + 1, limit);
        }
        if (c == 'e' || c == 'E') {
            int exponent = exponentEnd(text, p, limit);
            if (exponent > p) {
                return exponent;
            }
        }
        return Characters.isNamePart(c) ? NAME : p;
    }

    /** Returns the end of {@code 0x1F} or {@code 0b01}, whose digits start at {@code from}. */
    private static int digitsEnd(byte[] text, int from, int limit, boolean hex) {
        int p = from;
        int c = Characters.at(text, p, limit);
        while (hex ? Characters.isHex(c) : c == '0' || c == '1') {
            c = Characters.at(text, ++p, limit);
        }
        return p > from && !Characters.isNamePart(c) ? p : NAME;
    }

    /**
     * Returns the end of a number after its decimal point: digits and an exponent. Anything after it is another token.
     */
    static int fractionEnd(byte[] text, int from, int limit) {
        int p = from;
        while (Characters.isDigit(Characters.at(text, p, limit))) {
            p++;
        }
        int c = Characters.at(text, p, limit);
        return c == 'e' || c == 'E' ? exponentEnd(text, p, limit) : p;
    }

    /** Returns the end of the exponent at {@code p}, or {@code p} if there is none. */
    private static int exponentEnd(byte[] text, int p, int limit) {
        int q = p + 1;
        int c = Characters.at(text, q, limit);
        if (c == '+' || c == '-') {
            q++;
        }
        if (!Characters.isDigit(Characters.at(text, q, limit))) {
            return p;
        }
        while (Characters.isDigit(Characters.at(text, q, limit))) {
            q++;
        }
        return q;
    }
}
