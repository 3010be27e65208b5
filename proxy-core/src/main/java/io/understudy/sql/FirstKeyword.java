package io.understudy.sql;

/** Finds a statement's first word without cutting the rest into tokens. */
final class FirstKeyword {

    private FirstKeyword() {}

    static StatementKind of(byte[] text, int off, int len) {
        int limit = off + len;
        int p = off;
        while (p < limit) {
            int c = text[p];
            int letter = c | 0x20;
            if (letter >= 'a' && letter <= 'z') {
                return word(text, p, limit);
            }
            switch (c) {
                case ' ', '\t', '\n', 0x0B, '\f', '\r', '(', ';' -> p++;
                case '#' -> p = line(text, p, limit);
                case '-' -> {
                    if (p + 1 >= limit || text[p + 1] != '-') {
                        return StatementKind.UNKNOWN;
                    }
                    p = line(text, p, limit);
                }
                case '/' -> {
                    if (p + 1 >= limit || text[p + 1] != '*') {
                        return StatementKind.UNKNOWN;
                    }
                    p = comment(text, p + 2, limit);
                }
                default -> {
                    return StatementKind.UNKNOWN;
                }
            }
        }
        return StatementKind.EMPTY;
    }

    private static StatementKind word(byte[] text, int start, int limit) {
        int p = start + 1;
        while (p < limit && isNamePart(text[p])) {
            p++;
        }
        return StatementKinds.byFirstWord(Keyword.find(text, start, p, Words.folded(text, start, p)));
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
