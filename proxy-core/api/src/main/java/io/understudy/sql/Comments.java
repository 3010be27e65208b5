package io.understudy.sql;

/**
 * Interprets comments: plain text, an optimizer hint, or text that some servers execute.
 *
 * <p>Separate from the {@link Lexer} because comments are rare and long: without them the rest of the lexer is small
 * enough to be inlined. This class knows where a comment ends and what its content means; the lexer knows where a
 * comment starts, and that the content of an executable comment consists of ordinary tokens.
 */
final class Comments {

    /** MariaDB does not execute comments that require MySQL 5.7 or newer. */
    private static final int NEWEST_COMMON_VERSION = 50699;

    private Comments() {}

    /** Returns the offset just past the line feed that ends the line at {@code from}. */
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
                // Servers end the comment here and continue to read.
                lexer.flags |= Lexer.BAD_TEXT;
            }
        }
        return limit;
    }

    /** Returns the offset just past the closing slash of the comment whose content starts at {@code from}. */
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

    /** Reads the opening of an executable comment with its version and returns the offset just past it. */
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

    /** Reads an optimizer hint and returns a hash of it that blanks, case and numbers do not change. */
    static long hint(Lexer lexer, int from, int close) {
        byte[] text = lexer.text();
        if (contains(text, from, close, "SET_VAR") || contains(text, from, close, "RESOURCE_GROUP")) {
            lexer.flags |= Lexer.HINT_SETS;
        }
        long h = 0;
        boolean number = false;
        for (int p = from; p < close; p++) {
            int k = Characters.CLASS[text[p] & 0xFF];
            // Numbers and blanks in a hint do not make a different statement.
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
