package io.understudy.sql;

/**
 * What stands in comments: nothing, a hint, or text that some server executes.
 *
 * <p>Apart from the {@link Lexer} because it is rare and long: out of the lexer's way, the rest of it is small enough to
 * be compiled into its callers. It knows where comments end and what their insides mean; where they start, and that the
 * text of an executable comment is tokens like any other, the lexer knows.
 */
final class Comments {

    /** MariaDB does not execute comments for MySQL 5.7 and up. */
    private static final int NEWEST_COMMON_VERSION = 50699;

    private Comments() {}

    /** The end of the line that {@code p} is in, behind its line feed. */
    static int lineEnd(Lexer lexer, int from) {
        byte[] text = lexer.text();
        int limit = lexer.limit();
        int p = from;
        while (p < limit) {
            int c = text[p++];
            if (c == '\n') {
                return p;
            }
            if (c == 0) {
                // Servers end the comment here and read on.
                lexer.flags |= Lexer.BAD_TEXT;
            }
        }
        return limit;
    }

    /** The end of the comment whose inside starts at {@code from}, behind its slash. */
    static int blockEnd(Lexer lexer, int from) {
        byte[] text = lexer.text();
        int limit = lexer.limit();
        for (int p = from; p + 1 < limit; p++) {
            if (text[p] == '*' && text[p + 1] == '/') {
                return p + 2;
            }
        }
        lexer.flags |= Lexer.UNTERMINATED;
        return limit;
    }

    /** Reads the opening of an executable comment with its version; returns the end of it. */
    static int executableOpen(Lexer lexer, int from) {
        byte[] text = lexer.text();
        int limit = lexer.limit();
        boolean maria = text[from + 2] == 'M';
        int p = from + (maria ? 4 : 3);
        int version = 0;
        for (int digits = 0; digits < 6 && Characters.isDigit(Characters.at(text, p, limit)); digits++) {
            version = version * 10 + text[p] - '0';
            p++;
        }
        lexer.flags |= Lexer.EXECUTABLE;
        if (maria || version > NEWEST_COMMON_VERSION) {
            lexer.flags |= Lexer.EXECUTABLE_BY_SOME;
        }
        return p;
    }

    /** Reads a hint; returns a hash of it that blanks, case and numbers do not change. */
    static long hint(Lexer lexer, int from, int close) {
        byte[] text = lexer.text();
        if (contains(text, from, close, "SET_VAR") || contains(text, from, close, "RESOURCE_GROUP")) {
            lexer.flags |= Lexer.HINT_SETS;
        }
        long h = 0;
        boolean number = false;
        for (int p = from; p < close; p++) {
            int k = Characters.CLASS[text[p] & 0xFF];
            // Numbers and blanks in a hint do not make another statement.
            if (k == Characters.SPACE || k == Characters.DIGIT && number) {
                continue;
            }
            number = k == Characters.DIGIT;
            h = (h ^ (number ? '0' : k == Characters.LETTER ? text[p] | 0x20 : text[p])) * 0x100000001B3L;
        }
        return h;
    }

    private static boolean contains(byte[] text, int from, int to, String word) {
        for (int p = from; p + word.length() <= to; p++) {
            int i = 0;
            while (i < word.length() && (text[p + i] & 0xDF) == (word.charAt(i) & 0xDF)) {
                i++;
            }
            if (i == word.length()) {
                return true;
            }
        }
        return false;
    }
}
