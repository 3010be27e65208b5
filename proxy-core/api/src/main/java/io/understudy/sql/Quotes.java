package io.understudy.sql;

/**
 * Finds the end of quoted text: strings and quoted names, in which a doubled quote stands for the quote itself.
 *
 * <p>Separate from the {@link Lexer} because names and strings share it.
 */
final class Quotes {

    /** Result of {@link #close}: the text ends before the closing quote. */
    static final int NONE = -1;

    private Quotes() {}

    /**
     * Returns the index of the closing quote, or {@link #NONE}.
     *
     * @param from the first byte after the opening quote
     * @param backslash whether a backslash escapes the byte that follows it
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
