package io.understudy.sql;

/**
 * Where what stands in quotes ends: strings and quoted names, with a doubled quote for the quote itself.
 *
 * <p>Apart from the {@link Lexer} because names and strings share it, and because only the bytes decide.
 */
final class Quotes {

    /** Of {@link #close}: the text ends first. */
    static final int NONE = -1;

    private Quotes() {}

    /**
     * The index of the quote that closes.
     *
     * @param from the first byte behind the opening quote
     * @param backslash whether a backslash takes the byte behind it along
     */
    static int close(byte[] text, int from, int limit, int quote, boolean backslash) {
        int p = from;
        while (p < limit) {
            int c = text[p];
            if (c == quote) {
                if (Characters.at(text, p + 1, limit) != quote) {
                    return p;
                }
                p += 2;
            } else {
                p += c == '\\' && backslash ? 2 : 1;
            }
        }
        return NONE;
    }
}
