package io.understudy.sql;

/**
 * Cuts a statement's bytes into the tokens that MySQL and MariaDB would see.
 *
 * <p>One pass, no allocation, reusable, not thread-safe. Follows the servers' own lexers where they surprise: {@code --}
 * opens a comment only before a blank, control character or the end; a name may start with a digit; {@code 1.5for} is
 * two tokens and {@code 1for} is one. What is odd beyond that only raises {@link #BAD_TEXT}, never an exception.
 */
final class Lexer {

    /** Token types. A punctuation token's type is its character. */
    static final int END = 0;

    static final int WORD = 256;
    static final int QUOTED = 257;
    static final int STRING = 258;
    static final int NUMBER = 259;
    static final int PARAM = 260;
    static final int USER_VARIABLE = 261;
    static final int SYSTEM_VARIABLE = 262;
    static final int ASSIGN = 263;
    static final int HINT = 264;
    static final int EXECUTABLE_OPEN = 265;
    static final int EXECUTABLE_CLOSE = 266;

    /** Flags. */
    static final int EXECUTABLE = 1;

    static final int UNTERMINATED = 1 << 1;
    static final int BAD_TEXT = 1 << 2;
    static final int HINT_SETS = 1 << 3;
    /** A version comment that not every supported server executes. */
    static final int EXECUTABLE_BY_SOME = 1 << 4;

    /** Of {@link #special}: a comment, up to {@link #commentEnd}. */
    private static final int COMMENT = -1;

    private static final byte[] NO_TEXT = {};
    /** MariaDB does not execute comments for MySQL 5.7 and up. */
    private static final int NEWEST_COMMON_VERSION = 50699;

    private static final int SPACE = 1;
    private static final int LETTER = 2;
    private static final int DIGIT = 3;
    private static final int CONTROL = 4;
    /** A token by itself, whatever stands beside it. */
    private static final int PLAIN = 5;

    private static final int NAME_BIT = 2;
    private static final byte[] CLASS = new byte[256];

    static {
        for (int c = 0; c < 256; c++) {
            CLASS[c] = (byte) (c >= '0' && c <= '9' ? DIGIT : c < 32 || c == 127 ? CONTROL : c >= 128 ? LETTER : 0);
        }
        for (int c = 'A'; c <= 'Z'; c++) {
            CLASS[c] = LETTER;
            CLASS[c + 32] = LETTER;
        }
        CLASS['_'] = LETTER;
        CLASS['$'] = LETTER;
        for (char c : " \t\n\u000B\f\r".toCharArray()) {
            CLASS[c] = SPACE;
        }
        for (char c : "!%&()+,;<=>[]^{|}~".toCharArray()) {
            CLASS[c] = PLAIN;
        }
    }

    /** The token last returned: its bytes with quotes, and whether blanks or comments stand before it. */
    int start;

    int end;
    boolean gap;
    /** Hashes of a name's bytes, without quotes; of no meaning for a token that is no name. */
    long folded;

    long exact;
    int flags;

    private byte[] text = NO_TEXT;
    private int limit;
    private int commentEnd;
    private int executableDepth;
    private int last;
    private boolean ansiQuotes;
    private boolean backslash;
    private boolean eightBit;

    void reset(byte[] text, int off, int len, int modes) {
        this.text = text;
        end = off;
        limit = off + len;
        flags = 0;
        executableDepth = 0;
        last = END;
        ansiQuotes = (modes & SqlModes.ANSI_QUOTES) != 0;
        backslash = (modes & SqlModes.NO_BACKSLASH_ESCAPES) == 0;
        eightBit = (modes & SqlModes.EIGHT_BIT_CHARSET) != 0;
    }

    byte[] text() {
        return text;
    }

    int limit() {
        return limit;
    }

    /** Lets go of the text, so that a pooled lexer does not keep a statement alive. */
    void release() {
        text = NO_TEXT;
        end = 0;
        limit = 0;
    }

    /** Moves to the next token and returns its type, {@link #END} at the end. */
    int next() {
        int type = scan();
        last = type;
        return type;
    }

    /** Kept small, so that it is compiled into its callers: what is rare or long is elsewhere. */
    private int scan() {
        gap = false;
        byte[] t = text;
        int p = end;
        int max = limit;
        while (p < max) {
            int c = t[p] & 0xFF;
            switch (CLASS[c]) {
                case SPACE:
                    p++;
                    gap = true;
                    break;
                case LETTER:
                    return word(p);
                case PLAIN:
                    start = p;
                    end = p + 1;
                    return c;
                case DIGIT:
                    return last == '.' ? word(p) : number(p);
                default:
                    int type = special(p, c);
                    if (type != COMMENT) {
                        return type;
                    }
                    p = commentEnd;
                    gap = true;
                    break;
            }
        }
        if (executableDepth > 0) {
            flags |= UNTERMINATED;
        }
        return token(max, max, END);
    }

    private int special(int p, int c) {
        if (CLASS[c] == CONTROL) {
            flags |= BAD_TEXT;
            return token(p, p + 1, 127);
        }
        switch (c) {
            case '\'':
                return string(p, p + 1, '\'', STRING);
            case '"':
                return ansiQuotes ? quoted(p, '"') : string(p, p + 1, '"', STRING);
            case '`':
                return quoted(p, '`');
            case '?':
                return token(p, p + 1, PARAM);
            case '#':
                return comment(lineComment(p + 1));
            case '-':
                if (startsDashComment(p)) {
                    return comment(lineComment(p + 2));
                }
                return token(p, p + 1, '-');
            case '/':
                if (at(p + 1) != '*') {
                    return token(p, p + 1, '/');
                }
                if (at(p + 2) == '!' || at(p + 2) == 'M' && at(p + 3) == '!') {
                    return executableOpen(p);
                }
                int close = blockEnd(p + 2);
                if (at(p + 2) == '+') {
                    return hint(p, close);
                }
                return comment(close);
            case '*':
                if (executableDepth > 0 && at(p + 1) == '/') {
                    executableDepth--;
                    folded = 0;
                    exact = 0;
                    return token(p, p + 2, EXECUTABLE_CLOSE);
                }
                return token(p, p + 1, '*');
            case '@':
                return variable(p);
            case '.':
                boolean afterName = end == p && (last == WORD || last == QUOTED);
                return !afterName && CLASS[at(p + 1)] == DIGIT ? real(p, p + 1) : token(p, p + 1, '.');
            case ':':
                folded = 0;
                exact = 0;
                return at(p + 1) == '=' ? token(p, p + 2, ASSIGN) : token(p, p + 1, ':');
            case '\\':
                // \N is the old spelling of NULL; any other backslash outside a string is an error.
                if (at(p + 1) == 'N') {
                    return token(p, p + 2, NUMBER);
                }
                flags |= BAD_TEXT;
                return token(p, p + 1, '\\');
            default:
                return token(p, p + 1, c);
        }
    }

    private int comment(int to) {
        commentEnd = to;
        return COMMENT;
    }

    private int at(int p) {
        return p < limit ? text[p] & 0xFF : 0;
    }

    private int token(int from, int to, int type) {
        start = from;
        end = Math.min(to, limit);
        return type;
    }

    private int word(int from) {
        byte[] t = text;
        int p = from;
        int seen = 0;
        int max = limit;
        while (p < max) {
            int c = t[p];
            // LETTER and DIGIT are the two classes with this bit.
            if ((CLASS[c & 0xFF] & NAME_BIT) == 0) {
                break;
            }
            seen |= c;
            p++;
        }
        if (seen < 0 && eightBit || t[from] == '$' && isDollarQuote(from, p)) {
            // A blank to the server perhaps, or the start of a dollar-quoted string (MySQL 9).
            flags |= BAD_TEXT;
        }
        if (p - from == 1 && at(p) == '\'' && last != '.') {
            int c = t[from] | 0x20;
            if (c == 'x' || c == 'b' || c == 'n') {
                return string(from, p + 1, '\'', STRING);
            }
        }
        int length = p - from;
        if (length <= 8) {
            long word = Words.shortWord(t, from, p);
            folded = Words.foldedShort(word, length);
            exact = Words.exactShort(word, length);
        } else {
            folded = Words.folded(t, from, p);
            exact = Words.exact(t, from, p);
        }
        return token(from, p, WORD);
    }

    private boolean isDollarQuote(int from, int to) {
        for (int p = from + 1; p < to; p++) {
            if (text[p] == '$') {
                return true;
            }
        }
        return false;
    }

    private int number(int from) {
        int p = from;
        if (text[from] == '0' && (at(p + 1) == 'x' || at(p + 1) == 'b')) {
            boolean hex = at(p + 1) == 'x';
            p += 2;
            while (hex ? isHex(at(p)) : at(p) == '0' || at(p) == '1') {
                p++;
            }
            return p > from + 2 && !isNamePart(at(p)) ? token(from, p, NUMBER) : word(from);
        }
        while (CLASS[at(p)] == DIGIT) {
            p++;
        }
        int c = at(p);
        if (c == '.') {
            return real(from, p + 1);
        }
        if (c == 'e' || c == 'E') {
            int exponent = exponent(p);
            if (exponent > p) {
                return token(from, exponent, NUMBER);
            }
        }
        return isNamePart(c) ? word(from) : token(from, p, NUMBER);
    }

    /** A number whose point has been passed: digits and an exponent; whatever follows is another token. */
    private int real(int from, int p) {
        while (CLASS[at(p)] == DIGIT) {
            p++;
        }
        int c = at(p);
        return token(from, c == 'e' || c == 'E' ? exponent(p) : p, NUMBER);
    }

    private int exponent(int p) {
        int q = p + 1;
        if (at(q) == '+' || at(q) == '-') {
            q++;
        }
        if (CLASS[at(q)] != DIGIT) {
            return p;
        }
        while (CLASS[at(q)] == DIGIT) {
            q++;
        }
        return q;
    }

    private static boolean isNamePart(int c) {
        return CLASS[c] == LETTER || CLASS[c] == DIGIT;
    }

    private static boolean isHex(int c) {
        return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
    }

    private int string(int from, int p, int quote, int type) {
        byte[] t = text;
        boolean escapes = backslash;
        int max = limit;
        while (p < max) {
            int c = t[p];
            if (c == quote) {
                if (at(p + 1) != quote) {
                    return token(from, p + 1, type);
                }
                p += 2;
            } else {
                p += c == '\\' && escapes ? 2 : 1;
            }
        }
        flags |= UNTERMINATED;
        return token(from, limit, type);
    }

    private int quoted(int from, int quote) {
        int p = from + 1;
        while (p < limit) {
            if (text[p] == quote) {
                if (at(p + 1) != quote) {
                    folded = Words.folded(text, from + 1, p);
                    exact = Words.exact(text, from + 1, p);
                    return token(from, p + 1, QUOTED);
                }
                p++;
            }
            p++;
        }
        flags |= UNTERMINATED;
        folded = Words.folded(text, from + 1, limit);
        exact = Words.exact(text, from + 1, limit);
        return token(from, limit, QUOTED);
    }

    private int variable(int from) {
        int p = from + 1;
        int type = USER_VARIABLE;
        if (at(p) == '@') {
            p++;
            type = SYSTEM_VARIABLE;
        }
        int c = at(p);
        if (c == '`' || type == USER_VARIABLE && (c == '\'' || c == '"')) {
            if (c == '`') {
                quoted(p, c);
            } else {
                string(p, p + 1, c, STRING);
            }
            p = end;
        } else {
            int seen = 0;
            while (isNamePart(at(p)) || type == USER_VARIABLE && at(p) == '.') {
                seen |= text[p];
                p++;
            }
            if (seen < 0 && eightBit) {
                flags |= BAD_TEXT;
            }
        }
        folded = Words.folded(text, from, p);
        exact = Words.exact(text, from, p);
        return token(from, p, type);
    }

    private boolean startsDashComment(int p) {
        if (at(p + 1) != '-') {
            return false;
        }
        int c = at(p + 2);
        if (c >= 0x80 && eightBit) {
            flags |= BAD_TEXT;
        }
        return p + 2 >= limit || CLASS[c] == SPACE || CLASS[c] == CONTROL;
    }

    private int lineComment(int p) {
        while (p < limit) {
            int c = text[p++];
            if (c == '\n') {
                return p;
            }
            if (c == 0) {
                // Servers end the comment here and read on.
                flags |= BAD_TEXT;
            }
        }
        return limit;
    }

    private int blockEnd(int p) {
        while (p + 1 < limit) {
            if (text[p] == '*' && text[p + 1] == '/') {
                return p + 2;
            }
            p++;
        }
        flags |= UNTERMINATED;
        return limit;
    }

    private int executableOpen(int from) {
        flags |= EXECUTABLE;
        executableDepth++;
        boolean maria = at(from + 2) == 'M';
        int p = from + (maria ? 4 : 3);
        int version = 0;
        for (int digits = 0; digits < 6 && CLASS[at(p)] == DIGIT; digits++) {
            version = version * 10 + at(p) - '0';
            p++;
        }
        if (maria || version > NEWEST_COMMON_VERSION) {
            flags |= EXECUTABLE_BY_SOME;
        }
        folded = Words.folded(text, from, p);
        exact = Words.exact(text, from, p);
        return token(from, p, EXECUTABLE_OPEN);
    }

    private int hint(int from, int close) {
        if (contains(from, close, "SET_VAR") || contains(from, close, "RESOURCE_GROUP")) {
            flags |= HINT_SETS;
        }
        long h = 0;
        boolean number = false;
        for (int p = from; p < close; p++) {
            int k = CLASS[text[p] & 0xFF];
            // Numbers and blanks in a hint do not make another statement.
            if (k == SPACE || k == DIGIT && number) {
                continue;
            }
            number = k == DIGIT;
            h = (h ^ (number ? '0' : k == LETTER ? text[p] | 0x20 : text[p])) * 0x100000001B3L;
        }
        folded = h;
        exact = h;
        return token(from, close, HINT);
    }

    private boolean contains(int from, int to, String word) {
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
