package io.understudy.sql;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A statement's tokens in reusable arrays. A list of literals is shortened to its first one; hints are left out. */
final class Tokens {

    private static final int KEEP = 4096;

    int flags;
    /**
     * Whether a table was named in a character set other than UTF-8: it may be another than {@link #table} returned.
     */
    boolean undecoded;

    private boolean eightBit;
    private byte[] text = new byte[0];
    private int count;
    private int[] types = new int[256];
    private int[] starts = new int[256];
    private int[] ends = new int[256];
    private boolean[] gaps = new boolean[256];
    private boolean[] names = new boolean[256];
    private @Nullable Keyword[] keywords = new @Nullable Keyword[256];

    void load(Lexer lexer, byte[] source, int off, int len, int modes) {
        lexer.reset(source, off, len, modes);
        text = source;
        eightBit = (modes & SqlModes.EIGHT_BIT_CHARSET) != 0;
        undecoded = false;
        count = 0;
        for (int type = lexer.next(); type != Lexer.END; type = lexer.next()) {
            if (type >= Lexer.HINT) {
                continue;
            }
            if (isLiteral(type)
                    && count > 1
                    && types[count - 1] == ','
                    && isLiteral(types[count - 2])
                    && (count == 2 || types[count - 3] == '(')) {
                count--;
                continue;
            }
            boolean word = type == Lexer.WORD && (count == 0 || types[count - 1] != '.');
            add(
                    type,
                    lexer.start,
                    lexer.end,
                    lexer.gap,
                    word ? Keyword.find(source, lexer.start, lexer.end, lexer.folded) : null);
        }
        flags = lexer.flags;
        // Padding: readers may access eight tokens beyond the end without a bounds check.
        for (int i = 0; i < 8; i++) {
            add(Lexer.END, off + len, off + len, true, null);
        }
        count -= 8;
        lexer.release();
    }

    void release() {
        text = new byte[0];
        if (types.length > KEEP) {
            grow(KEEP);
        }
    }

    private void add(int type, int start, int end, boolean gap, @Nullable Keyword keyword) {
        if (count == types.length) {
            grow(count * 2);
        }
        types[count] = type;
        starts[count] = start;
        ends[count] = end;
        gaps[count] = gap;
        names[count] = false;
        keywords[count] = keyword;
        count++;
    }

    private void grow(int size) {
        types = Arrays.copyOf(types, size);
        starts = Arrays.copyOf(starts, size);
        ends = Arrays.copyOf(ends, size);
        gaps = Arrays.copyOf(gaps, size);
        names = Arrays.copyOf(names, size);
        keywords = Arrays.copyOf(keywords, size);
    }

    static boolean isLiteral(int type) {
        return type >= Lexer.STRING && type <= Lexer.PARAM;
    }

    int count() {
        return count;
    }

    int type(int i) {
        return i < 0 ? Lexer.END : types[Math.min(i, count)];
    }

    @Nullable
    Keyword keyword(int i) {
        return i < 0 || i >= count ? null : keywords[i];
    }

    boolean is(int i, Keyword keyword) {
        return keyword(i) == keyword;
    }

    boolean isAny(int i, Keyword a, Keyword b) {
        Keyword k = keyword(i);
        return k == a || k == b;
    }

    boolean isAny(int i, Keyword a, Keyword b, Keyword c) {
        Keyword k = keyword(i);
        return k == a || k == b || k == c;
    }

    boolean isName(int i) {
        int type = type(i);
        return type == Lexer.WORD || type == Lexer.QUOTED;
    }

    boolean gapBefore(int i) {
        return i < count && gaps[i];
    }

    /** Returns whether the statement ends before the token. */
    boolean isEnd(int i) {
        return type(i) == Lexer.END || type(i) == ';';
    }

    /** Marks a name whose parenthesis lists columns, so that it does not count as a function call. */
    void markNotCall(int i) {
        if (i >= 0 && i < count) {
            names[i] = true;
        }
    }

    boolean isNotCall(int i) {
        return names[i];
    }

    int start(int i) {
        return starts[Math.min(i, count)];
    }

    int end(int i) {
        return ends[Math.min(i, count)];
    }

    byte[] text() {
        return text;
    }

    /** Returns a name without its quotes. */
    String name(int i) {
        int s = start(i);
        int e = end(i);
        if (type(i) != Lexer.QUOTED || e - s < 2) {
            return new String(text, s, e - s, StandardCharsets.UTF_8);
        }
        String quote = String.valueOf((char) text[s]);
        String inner = new String(text, s + 1, e - s - 2, StandardCharsets.UTF_8);
        return inner.contains(quote) ? inner.replace(quote + quote, quote) : inner;
    }

    /** Returns the table named by the tokens at {@code qualifier} (-1 for none) and {@code n}. */
    TableName table(int qualifier, int n) {
        undecoded |= isUndecoded(n) || qualifier >= 0 && isUndecoded(qualifier);
        return new TableName(qualifier < 0 ? null : name(qualifier), name(n));
    }

    /** Returns whether the name is in a character set other than UTF-8, so that {@link #name} is another one. */
    boolean isUndecoded(int i) {
        return eightBit && !SqlAnalyzer.isAscii(text, start(i), end(i) - start(i));
    }

    String source(int from, int to) {
        return new String(text, start(from), end(to - 1) - start(from), StandardCharsets.UTF_8);
    }

    String raw(int i) {
        return new String(text, start(i), end(i) - start(i), StandardCharsets.UTF_8);
    }

    /**
     * Returns the value of a string without its quotes; null for one in another form than quotes alone.
     *
     * @param backslash whether a backslash begins an escape sequence
     */
    @Nullable
    String string(int i, boolean backslash) {
        String raw = raw(i);
        char quote = raw.charAt(0);
        if (quote != '\'' && quote != '"') {
            return null;
        }
        StringBuilder out = new StringBuilder(raw.length());
        int last = raw.length() - 1;
        for (int k = 1; k < last; k++) {
            char c = raw.charAt(k);
            if (c == quote) {
                k++;
            } else if (c == '\\' && backslash && k + 1 < last) {
                c = escaped(raw.charAt(++k));
            }
            out.append(c);
        }
        return out.toString();
    }

    private static char escaped(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case '0' -> '\0';
            case 'b' -> '\b';
            case 'Z' -> '\u001A';
            default -> c;
        };
    }

    /** Returns where a name begins, behind its quote. */
    private int nameStart(int i) {
        return start(i) + (type(i) == Lexer.QUOTED ? 1 : 0);
    }

    /** Returns where a name ends, before its closing quote. */
    private int nameEnd(int i) {
        return end(i) - (type(i) == Lexer.QUOTED ? 1 : 0);
    }

    /** Returns whether two names are equal, ignoring ASCII case and quotes. */
    boolean sameName(int i, int j) {
        int s = nameStart(i);
        int r = nameStart(j);
        int n = nameEnd(i) - s;
        if (n != nameEnd(j) - r) {
            return false;
        }
        for (int k = 0; k < n; k++) {
            if (lower(text[s + k]) != lower(text[r + k])) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether two names are equal in every byte: to some servers names that differ by case are two. */
    boolean identicalName(int i, int j) {
        return sameName(i, j) && Arrays.equals(text, nameStart(i), nameEnd(i), text, nameStart(j), nameEnd(j));
    }

    boolean isWord(int i, String upper) {
        int s = nameStart(i);
        if (!isName(i) || nameEnd(i) - s != upper.length()) {
            return false;
        }
        for (int k = 0; k < upper.length(); k++) {
            if (lower(text[s + k]) != lower((byte) upper.charAt(k))) {
                return false;
            }
        }
        return true;
    }

    private static int lower(byte b) {
        return b >= 'A' && b <= 'Z' ? b + 32 : b;
    }

    /** Returns the index after the parenthesis that closes the one at {@code i}, or the end of the tokens. */
    int afterParenthesis(int i) {
        int depth = 0;
        for (int j = i; j < count; j++) {
            int type = types[j];
            if (type == '(') {
                depth++;
            } else if (type == ')' && --depth == 0) {
                return j + 1;
            }
        }
        return count;
    }
}
