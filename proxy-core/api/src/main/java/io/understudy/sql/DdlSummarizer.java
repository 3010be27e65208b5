package io.understudy.sql;

import java.util.Set;

/** Tables of CREATE, ALTER, DROP, RENAME and TRUNCATE. */
final class DdlSummarizer {
    private static final Set<Keyword> OBJECTS =
            Keyword.set("TABLE TABLES VIEW INDEX TRIGGER SEQUENCE PROCEDURE FUNCTION"
                    + " EVENT PACKAGE DATABASE SCHEMA USER ROLE PREPARE");

    private final Tokens t;
    private final QueryWalker walker;

    DdlSummarizer(Tokens tokens, QueryWalker walker) {
        t = tokens;
        this.walker = walker;
    }

    /**
     * Summarises {@code CREATE} at {@code i}; returns the index of the word TRIGGER if a trigger is created, else -1.
     */
    int create(int i) {
        int n = object(i + 1);
        walker.draft.temporary = isTemporary(i + 1, n);
        Keyword what = t.keyword(n);
        if (what == null) {
            return -1;
        }
        switch (what) {
            case TABLE -> createTable(n);
            case VIEW -> {
                int after = written(name(n + 1));
                if (t.type(after) == '(') {
                    after = t.afterParenthesis(after);
                }
                walker.walk(after);
            }
            case SEQUENCE -> written(name(n + 1));
            case INDEX, TRIGGER -> on(n);
            default -> {}
        }
        return what == Keyword.TRIGGER ? n : -1;
    }

    private void createTable(int table) {
        int n = written(name(table + 1));
        if (t.is(n, Keyword.LIKE)) {
            walker.table(n + 1, false);
            return;
        }
        if (t.type(n) == '(' && t.is(n + 1, Keyword.LIKE)) {
            walker.table(n + 2, false);
            return;
        }
        references(n);
        walker.walk(n);
    }

    /** {@code ALTER} at {@code i}. */
    void alter(int i) {
        int n = object(i + 1);
        if (t.is(n, Keyword.VIEW)) {
            int after = written(name(n + 1));
            walker.walk(t.type(after) == '(' ? t.afterParenthesis(after) : after);
        } else if (t.is(n, Keyword.SEQUENCE)) {
            written(name(n + 1));
        } else if (t.is(n, Keyword.TABLE)) {
            alterTable(written(name(n + 1)));
        }
    }

    private void alterTable(int from) {
        references(from);
        int depth = 0;
        for (int n = from; !t.isEnd(n); n++) {
            depth += t.type(n) == '(' ? 1 : t.type(n) == ')' ? -1 : 0;
            if (depth > 0) {
                continue;
            }
            if (t.is(n, Keyword.RENAME)) {
                int to = n + 1;
                if (t.isAny(to, Keyword.COLUMN, Keyword.INDEX, Keyword.KEY)) {
                    continue;
                }
                written(t.isAny(to, Keyword.TO, Keyword.AS) || t.type(to) == '=' ? to + 1 : to);
            } else if (t.is(n, Keyword.WITH) && t.is(n + 1, Keyword.TABLE)
                    || t.is(n, Keyword.TO) && t.is(n + 1, Keyword.TABLE)
                    || t.is(n, Keyword.CONVERT) && t.is(n + 1, Keyword.TABLE)) {
                written(n + 2);
            }
        }
    }

    /** {@code DROP} at {@code i}. */
    void drop(int i) {
        int n = object(i + 1);
        walker.draft.temporary = isTemporary(i + 1, n);
        Keyword what = t.keyword(n);
        if (what == Keyword.TABLE || what == Keyword.TABLES || what == Keyword.VIEW || what == Keyword.SEQUENCE) {
            names(name(n + 1));
        } else if (what == Keyword.INDEX) {
            on(n);
        }
    }

    /** {@code RENAME TABLE a TO b, c TO d} at {@code i}. */
    void rename(int i) {
        if (!t.isAny(i + 1, Keyword.TABLE, Keyword.TABLES)) {
            return;
        }
        int n = written(name(i + 2));
        while (!t.isEnd(n)) {
            n = t.is(n, Keyword.TO) || t.type(n) == ',' ? written(n + 1) : n + 1;
        }
    }

    /** {@code TRUNCATE} at {@code i}. */
    void truncate(int i) {
        written(t.is(i + 1, Keyword.TABLE) ? i + 2 : i + 1);
    }

    /** Skips the words between the verb and the kind of object: OR REPLACE, DEFINER=…, UNIQUE, ONLINE, … */
    private int object(int i) {
        for (int n = i; !t.isEnd(n); n++) {
            Keyword keyword = t.keyword(n);
            if (keyword == null) {
                continue;
            }
            if (OBJECTS.contains(keyword)) {
                return n;
            }
            if (keyword == Keyword.DEFINER && t.type(n + 1) == '=') {
                n += 2; // the account's name may be such a word
            }
        }
        return i;
    }

    private boolean isTemporary(int from, int object) {
        for (int n = from; n < object; n++) {
            if (t.is(n, Keyword.TEMPORARY)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether {@code CREATE} or {@code ALTER} at {@code i} is of a package, or has a body that is a compound
     * statement.
     */
    boolean hasBody(int i) {
        int object = object(i + 1);
        int n = name(object + 1);
        n += t.type(n + 1) == '.' ? 3 : 1;
        Keyword what = t.keyword(object);
        if (what == Keyword.EVENT || what == Keyword.TRIGGER) {
            while (!t.isEnd(n) && !t.is(n - 1, what == Keyword.EVENT ? Keyword.DO : Keyword.ROW)) {
                n++;
            }
        } else if (what != Keyword.PROCEDURE && what != Keyword.FUNCTION) {
            return what == Keyword.PACKAGE;
        }
        boolean returns = false;
        while (!t.isEnd(n)) {
            Keyword keyword = t.keyword(n);
            returns |= t.isWord(n, "RETURNS");
            if (keyword != null && beginsBody(n, keyword, returns)) {
                return keyword == Keyword.BEGIN
                        || keyword == Keyword.AS
                        || keyword == Keyword.IS
                        || keyword.kind() == StatementKind.BLOCK;
            }
            n = t.type(n) == '(' ? t.afterParenthesis(n) : n + 1;
        }
        return false;
    }

    /**
     * Returns whether a word behind the parameters is of the body, not of the type or the characteristics.
     *
     * @param returns whether RETURNS came before it; without, RETURN gives the type of a function in Oracle mode
     */
    private boolean beginsBody(int n, Keyword keyword, boolean returns) {
        return switch (keyword) {
            case SET ->
                !t.isAny(n - 1, Keyword.CHARACTER, Keyword.RETURN)
                        && !t.isWord(n - 1, "CHAR")
                        && !t.isWord(n - 1, "RETURNS");
            case AS, IS -> t.type(n + 1) != Lexer.STRING; // a body in another language
            case RETURN -> returns;
            default -> keyword.kind() != StatementKind.UNKNOWN;
        };
    }

    /** Skips {@code IF [NOT] EXISTS}. */
    private int name(int i) {
        int n = i;
        if (t.is(n, Keyword.IF)) {
            n++;
            n += t.is(n, Keyword.NOT) ? 1 : 0;
            n += t.is(n, Keyword.EXISTS) ? 1 : 0;
        }
        return n;
    }

    private void on(int i) {
        for (int n = i; !t.isEnd(n); n++) {
            if (t.is(n, Keyword.ON)) {
                written(n + 1);
                return;
            }
        }
    }

    private void references(int from) {
        for (int n = from; !t.isEnd(n); n++) {
            if (t.is(n, Keyword.REFERENCES)) {
                walker.table(n + 1, false);
            }
        }
    }

    private void names(int i) {
        int n = written(i);
        while (t.type(n) == ',') {
            n = written(n + 1);
        }
    }

    private int written(int n) {
        return walker.table(n, true);
    }
}
