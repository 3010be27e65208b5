package io.understudy.sql;

/**
 * Splits a statement's bytes into the tokens that MySQL and MariaDB would see.
 *
 * <p>One pass, no allocation, reusable, not thread-safe. Follows the servers' lexers where they surprise: {@code --}
 * opens a comment only before a blank, a control character or the end of the text; a name may start with a digit;
 * {@code 1.5for} is two tokens and {@code 1for} is one. Any other oddity raises {@link #BAD_TEXT}, never an exception.
 */
final class Lexer {

    /** Token types. The type of a punctuation token is its character. */
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

    /** Bits of {@link #flags}. */
    static final int EXECUTABLE = 1;

    static final int UNTERMINATED = 1 << 1;
    static final int BAD_TEXT = 1 << 2;
    static final int HINT_SETS = 1 << 3;
    /** A version comment that not every supported server executes. */
    static final int EXECUTABLE_BY_SOME = 1 << 4;

    /** Value of {@link #special}: a comment, which ends at {@link #commentEnd}. */
    private static final int COMMENT = -1;

    private static final byte[] NO_TEXT = {};
    /** The token last returned: its bytes including quotes, and whether blanks or comments precede it. */
    int start;

    int end;
    boolean gap;
    /** Hashes of a name's bytes without quotes; undefined for any other token. */
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

    /** Releases the text, so that a pooled lexer does not keep a statement alive. */
    void release() {
        text = NO_TEXT;
        end = 0;
        limit = 0;
    }

    /** Advances to the next token and returns its type, or {@link #END} at the end of the text. */
    int next() {
        int type = scan();
        last = type;
        return type;
    }

    /** Kept small so that the JIT inlines it; rare and long cases are in other methods. */
    private int scan() {
        gap = false;
        byte[] t = text;
        int p = end;
        int max = limit;
        while (p < max) {
            int c = t[p] & 0xFF;
            switch (Characters.CLASS[c]) {
                case Characters.SPACE:
                    p++;
                    gap = true;
                    break;
                case Characters.LETTER:
                    return word(p);
                case Characters.PLAIN:
                    start = p;
                    end = p + 1;
                    return c;
                case Characters.DIGIT:
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
        if (Characters.CLASS[c] == Characters.CONTROL) {
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
                return comment(Comments.lineEnd(this, p + 1));
            case '-':
                if (startsDashComment(p)) {
                    return comment(Comments.lineEnd(this, p + 2));
                }
                return token(p, p + 1, '-');
            case '/':
                if (at(p + 1) != '*') {
                    return token(p, p + 1, '/');
                }
                if (at(p + 2) == '!' || at(p + 2) == 'M' && at(p + 3) == '!') {
                    return executableOpen(p);
                }
                int close = Comments.blockEnd(this, p + 2);
                if (at(p + 2) == '+') {
                    folded = Comments.hint(this, p, close);
                    exact = folded;
                    return token(p, close, HINT);
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
                return !afterName && Characters.isDigit(at(p + 1))
                        ? token(p, Numbers.fractionEnd(text, p + 1, limit), NUMBER)
                        : token(p, p + 1, '.');
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
        return Characters.at(text, p, limit);
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
            if ((Characters.CLASS[c & 0xFF] & Characters.NAME_BIT) == 0) {
                break;
            }
            seen |= c;
            p++;
        }
        if (seen < 0 && eightBit || t[from] == '$' && isDollarQuote(from, p)) {
            // The server may take it for a blank, or for the start of a dollar-quoted string (MySQL 9).
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
            long word = Words.load(t, from, p);
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
        int to = Numbers.end(text, from, limit);
        return to == Numbers.NAME ? word(from) : token(from, to, NUMBER);
    }

    private int string(int from, int p, int quote, int type) {
        int close = closingQuote(p, quote, backslash);
        if (close < 0) {
            flags |= UNTERMINATED;
            return token(from, limit, type);
        }
        return token(from, close + 1, type);
    }

    /** Returns the index of the closing quote, or -1; a doubled quote stands for the quote itself. */
    private int closingQuote(int from, int quote, boolean escapes) {
        byte[] t = text;
        int max = limit;
        int p = from;
        while (p < max) {
            int c = t[p];
            if (c != quote) {
                p += c == '\\' && escapes ? 2 : 1;
            } else if (Characters.at(t, p + 1, max) == quote) {
                p += 2;
            } else {
                return p;
            }
        }
        return -1;
    }

    private int quoted(int from, int quote) {
        int close = closingQuote(from + 1, quote, false);
        if (close < 0) {
            flags |= UNTERMINATED;
            close = limit;
        }
        folded = Words.folded(text, from + 1, close);
        exact = Words.exact(text, from + 1, close);
        return token(from, close + 1, QUOTED);
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
            while (Characters.isNamePart(at(p)) || type == USER_VARIABLE && at(p) == '.') {
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
        return p + 2 >= limit || Characters.CLASS[c] == Characters.SPACE || Characters.CLASS[c] == Characters.CONTROL;
    }

    private int executableOpen(int from) {
        executableDepth++;
        int to = Comments.executableOpen(this, from);
        folded = Words.folded(text, from, to);
        exact = Words.exact(text, from, to);
        return token(from, to, EXECUTABLE_OPEN);
    }
}
