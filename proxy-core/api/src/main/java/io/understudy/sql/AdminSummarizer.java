package io.understudy.sql;

/** Tables of SHOW, DESCRIBE, LOCK, HANDLER and table maintenance. */
final class AdminSummarizer {

    private final Tokens t;
    private final QueryWalker walker;

    AdminSummarizer(Tokens tokens, QueryWalker walker) {
        t = tokens;
        this.walker = walker;
    }

    /** {@code SHOW} at {@code i}. */
    void show(int i) {
        for (int n = i + 1; !t.isEnd(n) && n < i + 8; n++) {
            Keyword keyword = t.keyword(n);
            if (keyword == null) {
                continue;
            }
            switch (keyword) {
                case WARNINGS, ERRORS -> {
                    walker.draft.readsDiagnostics = true;
                    walker.draft.sessionDependent = true;
                }
                case CREATE -> {
                    if (t.isAny(n + 1, Keyword.TABLE, Keyword.VIEW, Keyword.SEQUENCE)) {
                        walker.table(n + 2, false);
                    }
                    return;
                }
                case COLUMNS, FIELDS, INDEX, INDEXES, KEYS -> {
                    if (t.isAny(n + 1, Keyword.FROM, Keyword.IN)) {
                        columns(n + 2);
                    }
                    return;
                }
                default -> {}
            }
        }
        walker.walk(i + 1);
    }

    private void columns(int n) {
        boolean qualified = t.type(n + 1) == '.';
        if (!qualified && t.isAny(n + 1, Keyword.FROM, Keyword.IN) && t.isName(n + 2)) {
            walker.draft.reads(t.table(n + 2, n));
            walker.walk(n + 3);
        } else {
            walker.walk(walker.table(n, false));
        }
    }

    /** {@code DESCRIBE t [column]}: the table at {@code n}; whether that is all. */
    boolean describe(int n) {
        int after = walker.table(n, false);
        if (t.isName(after) || t.type(after) == Lexer.STRING) {
            after++;
        }
        if (!t.isEnd(after)) {
            walker.draft.notPure(NotPure.UNPARSED);
            return false;
        }
        return true;
    }

    /** {@code LOCK TABLES t READ, u AS x WRITE} at {@code i}. */
    void lock(int i) {
        if (!t.isAny(i + 1, Keyword.TABLE, Keyword.TABLES)) {
            return;
        }
        int n = i + 2;
        while (t.isName(n)) {
            int from = n;
            boolean write = false;
            while (!t.isEnd(n) && t.type(n) != ',') {
                write |= n > from && t.is(n, Keyword.WRITE);
                n++;
            }
            walker.table(from, write);
            n++;
        }
    }

    /** {@code HANDLER t OPEN} at {@code i}. */
    void handler(int i) {
        boolean qualified = t.type(i + 2) == '.';
        if (t.is(i + (qualified ? 4 : 2), Keyword.OPEN)) {
            walker.table(i + 1, false);
        }
    }

    /** {@code CHECK TABLE a, b} and the like at {@code i}. */
    void maintenance(int i) {
        boolean write = t.isAny(i, Keyword.OPTIMIZE, Keyword.REPAIR);
        int n = i + 1;
        while (t.isAny(n, Keyword.NO_WRITE_TO_BINLOG, Keyword.LOCAL)) {
            n++;
        }
        if (!t.isAny(n, Keyword.TABLE, Keyword.TABLES, Keyword.VIEW)) {
            walker.draft.unlisted = true;
            return;
        }
        n = walker.table(n + 1, write);
        while (t.type(n) == ',') {
            n = walker.table(n + 1, write);
        }
    }
}
