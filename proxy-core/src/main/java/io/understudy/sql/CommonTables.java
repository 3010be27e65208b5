package io.understudy.sql;

/**
 * The common table expressions in scope, and the WITH clauses that bring them there.
 *
 * <p>Apart from the walk because they are what outlives a parenthesis: a name defined here hides the table of that name
 * in every query that follows, until the walk that met the clause ends.
 */
final class CommonTables {

    private static final int MAX_EXPRESSIONS = 64;

    private final Tokens t;
    private final QueryWalker walker;
    private Draft draft = new Draft();

    /** Names in scope, as token indices. */
    private final int[] scope = new int[MAX_EXPRESSIONS];

    private int scopes;

    CommonTables(Tokens tokens, QueryWalker walker) {
        t = tokens;
        this.walker = walker;
    }

    void reset(Draft draft) {
        this.draft = draft;
        scopes = 0;
    }

    /** How many names are in scope: what {@link #leave} takes later. */
    int mark() {
        return scopes;
    }

    /** Takes the names defined since {@code mark} out of scope. */
    void leave(int mark) {
        scopes = mark;
    }

    /** Whether the WITH at {@code i} opens a list of common table expressions. */
    boolean isClause(int i) {
        int n = t.is(i + 1, Keyword.RECURSIVE) && t.isName(i + 2) ? i + 2 : i + 1;
        return t.isName(n)
                && !t.is(n, Keyword.ROLLUP)
                && (t.is(n + 1, Keyword.AS) && t.type(n + 2) == '(' || t.type(n + 1) == '(');
    }

    /**
     * Walks {@code WITH a AS (…), b(x) AS (…)}; returns the index behind it. The names stay in scope until {@link #leave}.
     */
    int enter(int with) {
        boolean recursive = t.is(with + 1, Keyword.RECURSIVE) && t.isName(with + 2);
        int i = with + (recursive ? 2 : 1);
        while (t.isName(i)) {
            int n = i++;
            if (recursive) {
                define(n);
            }
            if (t.type(i) == '(') {
                t.markNotCall(n);
                i = t.afterParenthesis(i);
            }
            if (!t.is(i, Keyword.AS) || t.type(i + 1) != '(') {
                draft.notPure(NotPure.UNPARSED);
                return i;
            }
            i = walker.parenthesis(i + 1);
            if (!recursive) {
                define(n);
            }
            if (t.isWord(i, "CYCLE")) {
                i++;
                while (t.isName(i) && !t.isWord(i, "RESTRICT") || t.type(i) == ',') {
                    i++;
                }
                i++;
            }
            if (t.type(i) != ',') {
                break;
            }
            i++;
        }
        return i;
    }

    private void define(int n) {
        if (scopes == MAX_EXPRESSIONS) {
            draft.notPure(NotPure.TOO_LONG);
        } else {
            scope[scopes++] = n;
        }
    }

    /** Whether the name at {@code n} is that of an expression in scope. */
    boolean isDefined(int n) {
        for (int k = 0; k < scopes; k++) {
            if (t.sameName(scope[k], n)) {
                return true;
            }
        }
        return false;
    }

    /** The index behind the clause, found without walking it: what comes there decides who walks it. */
    int behind(int with) {
        int n = with + 1;
        while (t.type(n) != Lexer.END && t.type(n) != ';') {
            if (t.type(n) == '(') {
                int after = t.afterParenthesis(n);
                if (!t.is(after, Keyword.AS) && t.type(after) != ',' && !t.isWord(after, "CYCLE")) {
                    return after;
                }
                n = after;
            } else if (t.isWord(n, "RESTRICT") && t.type(n + 1) != ',') {
                return n + 1;
            } else {
                n++;
            }
        }
        return n;
    }
}
