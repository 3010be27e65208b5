package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/** Finds a statement's first words, as many as decide its kind, without tokenising the rest. */
final class FirstKeyword {

    /** The text ends before a word. */
    private static final int NOTHING = -1;
    /** Something other than a word comes first. */
    private static final int NO_WORD = -2;

    private FirstKeyword() {}

    static StatementKind of(byte[] text, int off, int len) {
        int limit = off + len;
        int start = wordStart(text, off, limit);
        if (start < 0) {
            return start == NOTHING ? StatementKind.EMPTY : StatementKind.UNKNOWN;
        }
        int end = wordEnd(text, start, limit);
        Keyword first = keyword(text, start, end);
        if (!StatementKinds.needsMore(first)) {
            return StatementKinds.byFirstWord(first);
        }
        Keyword next = null;
        do {
            start = wordStart(text, end, limit);
            if (start >= 0) {
                end = wordEnd(text, start, limit);
                next = keyword(text, start, end);
            }
        } while (start >= 0 && first == Keyword.ROLLBACK && next == Keyword.WORK);
        return StatementKinds.byFirstWords(first, next);
    }

    private static @Nullable Keyword keyword(byte[] text, int start, int end) {
        return Keyword.find(text, start, end, Words.folded(text, start, end));
    }

    /** Returns where the next word begins, or {@link #NOTHING} or {@link #NO_WORD}. */
    private static int wordStart(byte[] text, int from, int limit) {
        int p = from;
        while (p < limit) {
            int c = text[p];
            int letter = c | 0x20;
            if (letter >= 'a' && letter <= 'z') {
                return p;
            }
            switch (c) {
                case ' ', '\t', '\n', 0x0B, '\f', '\r', '(', ';' -> p++;
                case '#' -> p = line(text, p, limit);
                case '-' -> {
                    if (p + 1 >= limit || text[p + 1] != '-') {
                        return NO_WORD;
                    }
                    p = line(text, p, limit);
                }
                case '/' -> {
                    if (p + 1 >= limit || text[p + 1] != '*') {
                        return NO_WORD;
                    }
                    p = comment(text, p + 2, limit);
                }
                default -> {
                    return NO_WORD;
                }
            }
        }
        return NOTHING;
    }

    private static int wordEnd(byte[] text, int start, int limit) {
        int p = start + 1;
        while (p < limit && isNamePart(text[p])) {
            p++;
        }
        return p;
    }

    private static boolean isNamePart(int c) {
        int letter = c | 0x20;
        return letter >= 'a' && letter <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c < 0;
    }

    private static int line(byte[] text, int from, int limit) {
        int p = from;
        while (p < limit && text[p] != '\n') {
            p++;
        }
        return p;
    }

    private static int comment(byte[] text, int from, int limit) {
        int p = from;
        boolean maria = p + 1 < limit && text[p] == 'M' && text[p + 1] == '!';
        if (maria || p < limit && text[p] == '!') {
            p += maria ? 2 : 1;
            while (p < limit && text[p] >= '0' && text[p] <= '9') {
                p++;
            }
            return p;
        }
        while (p + 1 < limit && !(text[p] == '*' && text[p + 1] == '/')) {
            p++;
        }
        return Math.min(limit, p + 2);
    }
}
