package io.understudy.sql;

/** Tables of SHOW, DESCRIBE, LOCK, HANDLER and table maintenance. */
final class AdminSummarizer {

    private final Tokens t;
    private final QueryWalker walker;
    private Draft draft = new Draft();

    AdminSummarizer(Tokens tokens, QueryWalker walker) {
        t = tokens;
        this.walker = walker;
    }

    void reset(Draft draft) {
        this.draft = draft;
    }

    /** {@code SHOW} at {@code i}. */
    void show(int i) {
        for (int n = i + 1; !isEnd(n) && n < i + 8; n++) {
            Keyword keyword = t.keyword(n);
            if (keyword == null) {
                continue;
            }
            switch (keyword) {
                case WARNINGS, ERRORS -> {
                    draft.readsDiagnostics = true;
                    draft.sessionDependent = true;
                }
                case CREATE -> {
                    if (t.isAny(n + 1, Keyword.TABLE, Keyword.VIEW, Keyword.SEQUENCE)) {
                        table(n + 2, false);
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
            draft.reads(t.table(n + 2, n));
            walker.walk(n + 3);
        } else {
            walker.walk(table(n, false));
        }
    }

    /** {@code DESCRIBE t [column]}: the table at {@code n}; whether that is all. */
    boolean describe(int n) {
        int after = table(n, false);
        if (t.isName(after) || t.type(after) == Lexer.STRING) {
            after++;
        }
        if (!isEnd(after)) {
            draft.notPure(NotPure.UNPARSED);
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
            while (!isEnd(n) && t.type(n) != ',') {
                write |= n > from && t.is(n, Keyword.WRITE);
                n++;
            }
            table(from, write);
            n++;
        }
    }

    /** {@code HANDLER t OPEN} at {@code i}. */
    void handler(int i) {
        boolean qualified = t.type(i + 2) == '.';
        if (t.is(i + (qualified ? 4 : 2), Keyword.OPEN)) {
            table(i + 1, false);
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
            draft.unlisted = true;
            return;
        }
        n = table(n + 1, write);
        while (t.type(n) == ',') {
            n = table(n + 1, write);
        }
    }

    private int table(int n, boolean write) {
        if (!t.isName(n)) {
            draft.notPure(NotPure.UNPARSED);
            return n + 1;
        }
        boolean qualified = t.type(n + 1) == '.' && t.isName(n + 2);
        TableName table = qualified ? t.table(n, n + 2) : t.table(-1, n);
        if (write) {
            draft.writes(table);
        } else {
            draft.reads(table);
        }
        return n + (qualified ? 3 : 1);
    }

    private boolean isEnd(int n) {
        return t.type(n) == Lexer.END || t.type(n) == ';';
    }
}
