package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/** Finds a statement's first words, as many as decide its kind, without tokenising the rest. */
public final class FirstKeyword {

    /** The text ends before a word. */
    private static final int NOTHING = -1;
    /** Something other than a word comes first. */
    private static final int NO_WORD = -2;

    private FirstKeyword() {}

    /**
     * Returns the kind by the first words, in a few nanoseconds. Imprecise where more are needed: {@code WITH} counts
     * as SELECT, {@code ANALYZE} as ADMIN, {@code BEGIN NOT ATOMIC} as BEGIN, several statements as the first of them.
     * Thread-safe; never throws because of the text.
     */
    public static StatementKind of(byte[] text, int off, int len) {
        int limit = off + len;
        int start = wordStart(text, off, limit);
        if (start < 0) {
            return start == NOTHING ? StatementKind.EMPTY : StatementKind.UNKNOWN;
        }
        int end = wordEnd(text, start, limit);
        Keyword first = keyword(text, start, end);
        if (first == null || !needsMore(first)) {
            return first == null ? StatementKind.UNKNOWN : first.kind();
        }
        Keyword next = null;
        do {
            start = wordStart(text, end, limit);
            if (start >= 0) {
                end = wordEnd(text, start, limit);
                next = keyword(text, start, end);
            }
        } while (start >= 0 && first == Keyword.ROLLBACK && next == Keyword.WORK);
        return byFirstWords(first, next);
    }

    /** Returns the kind of the statement at {@code i}, for statements whose tables are not tracked. */
    static StatementKind of(Tokens t, int i, Keyword keyword) {
        if (!needsMore(keyword)) {
            return keyword.kind();
        }
        boolean work = keyword == Keyword.ROLLBACK && t.is(i + 1, Keyword.WORK);
        return byFirstWords(keyword, t.keyword(work ? i + 2 : i + 1));
    }

    /** Returns whether the word after {@code first} may change the kind. */
    private static boolean needsMore(Keyword first) {
        return first == Keyword.START || first == Keyword.ROLLBACK || first == Keyword.XA || first == Keyword.LOAD;
    }

    /**
     * Returns the kind of a statement whose first word {@link #needsMore}.
     *
     * @param next the word after it; after {@code ROLLBACK WORK} the one after that; null if it is no keyword
     */
    private static StatementKind byFirstWords(Keyword first, @Nullable Keyword next) {
        if (first == Keyword.START) {
            return next == Keyword.TRANSACTION ? StatementKind.BEGIN : StatementKind.CHANGE;
        }
        if (first == Keyword.LOAD) {
            return next == Keyword.INDEX ? StatementKind.ADMIN : StatementKind.LOAD;
        }
        if (first == Keyword.ROLLBACK) {
            return next == Keyword.TO ? StatementKind.SAVEPOINT : StatementKind.ROLLBACK;
        }
        if (next == Keyword.COMMIT) {
            return StatementKind.XA_COMMIT;
        }
        if (next == Keyword.ROLLBACK) {
            return StatementKind.XA_ROLLBACK;
        }
        return next == Keyword.PREPARE ? StatementKind.XA_PREPARE : StatementKind.XA;
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
        while (p < limit && Characters.isNamePart(text[p] & 0xFF)) {
            p++;
        }
        return p;
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
