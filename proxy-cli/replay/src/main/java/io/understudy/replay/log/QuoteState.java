package io.understudy.replay.log;

/**
 * Follows the quotes and comments of a statement byte by byte, so that a line break inside them is told from one that
 * may end the statement.
 */
final class QuoteState {
    private static final int PLAIN = 0;
    private static final int LINE_COMMENT = 1;
    private static final int BLOCK_COMMENT = 2;

    private final boolean escapes;
    /** One of the constants, or the quote that is open. */
    private int state;

    private int previous;
    private int beforePrevious;

    /** @param escapes whether a backslash escapes, as without the mode NO_BACKSLASH_ESCAPES */
    QuoteState(boolean escapes) {
        this.escapes = escapes;
    }

    void reset() {
        state = PLAIN;
        previous = 0;
        beforePrevious = 0;
    }

    void copy(QuoteState other) {
        state = other.state;
        previous = other.previous;
        beforePrevious = other.beforePrevious;
    }

    /** Returns whether no literal, name or block comment is open. */
    boolean isClosed() {
        return state == PLAIN || state == LINE_COMMENT;
    }

    /** Returns the offset of the first backslash inside a literal, or {@code end}, having read up to there. */
    int readUntilBackslash(byte[] bytes, int from, int end) {
        int open = state;
        int last = previous;
        int earlier = beforePrevious;
        int p = from;
        for (; p < end; p++) {
            int c = bytes[p];
            if (c == '\\' && (open == '\'' || open == '"')) {
                break;
            }
            open = next(open, earlier, last, c);
            // What opens or closes is no part of what comes next: "/*/" is an open comment.
            earlier = last;
            last = open == BLOCK_COMMENT && last == '/' && c == '*' ? 0 : c;
        }
        state = open;
        previous = last;
        beforePrevious = earlier;
        return p;
    }

    private static int next(int open, int earlier, int last, int c) {
        switch (open) {
            case PLAIN:
                if (c == '\'' || c == '"' || c == '`') {
                    return c;
                }
                if (c == '#' || last == '-' && earlier == '-' && c <= ' ' && c != '\n' && c >= 0) {
                    return LINE_COMMENT;
                }
                return last == '/' && c == '*' ? BLOCK_COMMENT : PLAIN;
            case LINE_COMMENT:
                return c == '\n' ? PLAIN : LINE_COMMENT;
            case BLOCK_COMMENT:
                // An executable comment holds statements: their quotes count.
                if (last == 0 && c == '!') {
                    return PLAIN;
                }
                return last == '*' && c == '/' ? PLAIN : BLOCK_COMMENT;
            default:
                return c == open ? PLAIN : open;
        }
    }

    /** Reads all bytes; a backslash at the end escapes nothing. */
    void read(byte[] bytes, int from, int end) {
        int p = from;
        while (p < end) {
            p = readUntilBackslash(bytes, p, end);
            if (p < end) {
                previous = 0;
                beforePrevious = 0;
                p += escapes ? 2 : 1;
            }
        }
    }
}
