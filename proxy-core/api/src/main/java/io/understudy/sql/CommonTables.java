package io.understudy.sql;

/**
 * The common table expressions in scope, and the WITH clauses that define them.
 *
 * <p>Separate from the walk because scope outlives a parenthesis: a name defined here hides the table of that name in
 * every query that follows, until the walk that entered the clause ends.
 */
final class CommonTables {

    private static final int MAX_EXPRESSIONS = 64;

    private final Tokens t;
    private final QueryWalker walker;

    /** Names in scope, as token indices. */
    private final int[] scope = new int[MAX_EXPRESSIONS];

    private int scopes;
    /** The first name in scope that hides a table. */
    private int hiding;

    CommonTables(Tokens tokens, QueryWalker walker) {
        t = tokens;
        this.walker = walker;
    }

    void reset() {
        scopes = 0;
        hiding = 0;
    }

    /** Returns the number of names in scope, to pass to {@link #leave}. */
    int mark() {
        return scopes;
    }

    /** Returns the first name in scope that hides a table, to pass to {@link #leave}. */
    int hiding() {
        return hiding;
    }

    /** Removes the names defined since {@code mark} from the scope. */
    void leave(int mark, int hidingBefore) {
        scopes = mark;
        hiding = hidingBefore;
    }

    /**
     * Has the names defined before {@code mark} hide nothing more: a query with a WITH clause of its own does not see
     * all names of the query around it, but the tables and views of these names. In MySQL 9.7 this is so in a UNION, in
     * MariaDB 10.11 within its WITH clause.
     */
    void hideSince(int mark) {
        hiding = mark;
    }

    /** Returns whether the WITH at {@code i} starts a list of common table expressions. */
    boolean isClause(int i) {
        int n = t.is(i + 1, Keyword.RECURSIVE) && t.isName(i + 2) ? i + 2 : i + 1;
        return t.isName(n)
                && !t.is(n, Keyword.ROLLUP)
                && (t.is(n + 1, Keyword.AS) && t.type(n + 2) == '(' || t.type(n + 1) == '(');
    }

    /**
     * Walks {@code WITH a AS (…), b(x) AS (…)} and returns the index after it. The names stay in scope until
     * {@link #leave}.
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
                walker.draft.notPure(NotPure.UNPARSED);
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
            walker.draft.notPure(NotPure.TOO_LONG);
        } else {
            scope[scopes++] = n;
        }
    }

    /** Returns whether the name at {@code n} is an expression in scope. */
    boolean isDefined(int n) {
        for (int k = 0; k < scopes; k++) {
            if (t.sameName(scope[k], n)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether an expression in scope hides the table of the name at {@code n}. With another case it does on
     * some servers only, and a table that is not read does no harm in a list.
     */
    boolean hides(int n) {
        for (int k = hiding; k < scopes; k++) {
            if (t.identicalName(scope[k], n)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the index after the clause without walking it: the statement that follows decides who walks it. */
    int behind(int with) {
        int n = with + 1;
        while (!t.isEnd(n)) {
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
