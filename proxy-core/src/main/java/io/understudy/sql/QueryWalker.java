package io.understudy.sql;

import java.util.Arrays;

/**
 * Finds the tables of queries, at any depth.
 *
 * <p>Walks the tokens once, one call per parenthesis. It knows where table names may stand and leaves the rest of the
 * grammar to the server.
 */
final class QueryWalker {

    private static final int MAX_DEPTH = 100;
    private static final int MAX_EXPRESSIONS = 64;
    private static final int MAX_REFERENCES = 64;

    private final Tokens t;
    private Draft draft = new Draft();
    private int depth;

    /** Names of the common table expressions in scope, as token indices. */
    private final int[] scope = new int[MAX_EXPRESSIONS];

    private int scopes;

    /** The tables that an UPDATE or DELETE joins: token indices of schema (or -1), name and alias (or -1). */
    final int[] schema = new int[MAX_REFERENCES];

    final int[] name = new int[MAX_REFERENCES];
    final int[] alias = new int[MAX_REFERENCES];
    int references;

    QueryWalker(Tokens tokens) {
        t = tokens;
    }

    void reset(Draft draft) {
        this.draft = draft;
        depth = 0;
        scopes = 0;
        references = 0;
    }

    /** Walks expressions or a query from {@code i}; returns the index of what ends it: {@code )}, {@code ;}, the end. */
    int walk(int i) {
        if (++depth > MAX_DEPTH) {
            draft.notPure(NotPure.UNPARSED);
            depth--;
            return t.count();
        }
        int mark = scopes;
        int end = clauses(i);
        scopes = mark;
        depth--;
        return end;
    }

    private int clauses(int first) {
        boolean select = false;
        int i = first;
        while (true) {
            int type = t.type(i);
            if (type == Lexer.END || type == ')' || type == ';') {
                return i;
            }
            if (type == '(') {
                i = parenthesis(i);
                continue;
            }
            Keyword keyword = t.keyword(i);
            if (keyword != null) {
                switch (keyword) {
                    case SELECT -> select = true;
                    case FROM -> {
                        if (select) {
                            i = tables(i + 1, false);
                            continue;
                        }
                    }
                    case WITH -> {
                        if (isWithClause(i)) {
                            i = withClause(i);
                            continue;
                        }
                    }
                    case TABLE -> {
                        if (startsQuery(i, first) && t.isName(i + 1)) {
                            i = tableName(i + 1, false);
                            continue;
                        }
                    }
                    default -> {}
                }
            }
            i++;
        }
    }

    private boolean startsQuery(int i, int first) {
        if (i == first) {
            return true;
        }
        Keyword before = t.keyword(i - 1);
        return before != null
                && switch (before) {
                    case UNION, EXCEPT, INTERSECT, MINUS, ALL, DISTINCT, AS -> true;
                    default -> false;
                };
    }

    /** Walks the parenthesis at {@code i}; returns the index behind it. */
    int parenthesis(int i) {
        int close = walk(i + 1);
        if (t.type(close) != ')') {
            draft.notPure(NotPure.UNPARSED);
            return close;
        }
        return close + 1;
    }

    boolean isWithClause(int i) {
        int n = t.is(i + 1, Keyword.RECURSIVE) && t.isName(i + 2) ? i + 2 : i + 1;
        return t.isName(n)
                && !t.is(n, Keyword.ROLLUP)
                && (t.is(n + 1, Keyword.AS) && t.type(n + 2) == '(' || t.type(n + 1) == '(');
    }

    /** Walks {@code WITH a AS (…), b(x) AS (…)}; their names stay in scope until the walk that met them ends. */
    int withClause(int with) {
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
            i = parenthesis(i + 1);
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

    private boolean isDefined(int n) {
        for (int k = 0; k < scopes; k++) {
            if (t.sameName(scope[k], n)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Walks a list of joined tables and its conditions; returns the index of the clause behind it.
     *
     * @param collect whether the tables are kept in {@link #name} instead of counting as read
     */
    int tables(int first, boolean collect) {
        boolean expected = true;
        boolean condition = false;
        int reference = -1;
        int i = first;
        while (true) {
            int type = t.type(i);
            if (type == Lexer.END || type == ')' || type == ';') {
                if (expected) {
                    draft.notPure(NotPure.UNPARSED);
                }
                return i;
            }
            if (expected) {
                reference = -1;
                if (type == '(') {
                    i = isQuery(i) ? parenthesis(i) : joinParenthesis(i, collect);
                    i = derivedAlias(i);
                    expected = false;
                } else if (type == '{') {
                    i += t.is(i + 1, Keyword.OJ) ? 2 : 1;
                } else if (t.is(i, Keyword.LATERAL) && t.type(i + 1) == '(') {
                    i++;
                } else if (t.is(i, Keyword.JSON_TABLE) && t.type(i + 1) == '(') {
                    i = parenthesis(i + 1);
                    expected = false;
                } else if (t.is(i, Keyword.DUAL) && t.type(i + 1) != '.') {
                    i++;
                    expected = false;
                } else if (t.isName(i)) {
                    int before = references;
                    i = tableName(i, collect);
                    reference = references > before ? before : -1;
                    expected = false;
                    if (t.type(i) == '(') {
                        draft.notPure(NotPure.UNPARSED);
                    }
                } else {
                    draft.notPure(NotPure.UNPARSED);
                    return i;
                }
                condition = false;
                continue;
            }
            if (type == ',') {
                expected = true;
                i++;
                continue;
            }
            if (type == '(') {
                i = parenthesis(i);
                continue;
            }
            Keyword keyword = t.keyword(i);
            if (keyword == null) {
                if (!condition && reference >= 0 && alias[reference] < 0 && t.isName(i)) {
                    alias[reference] = i;
                }
                i++;
                continue;
            }
            switch (keyword) {
                case JOIN, STRAIGHT_JOIN -> {
                    expected = true;
                    i++;
                }
                case ON -> {
                    if (t.is(i + 1, Keyword.DUPLICATE)) {
                        return i;
                    }
                    condition = true;
                    i++;
                }
                case USING -> {
                    if (t.type(i + 1) != '(') {
                        return i;
                    }
                    i = t.afterParenthesis(i + 1);
                }
                case USE, FORCE, IGNORE -> i = indexHint(i);
                case PARTITION -> i = t.type(i + 1) == '(' ? t.afterParenthesis(i + 1) : i + 1;
                case FOR -> {
                    if (t.is(i + 1, Keyword.SYSTEM_TIME)) {
                        // AS OF here gives no alias.
                        i += t.is(i + 2, Keyword.AS) ? 4 : 2;
                    } else {
                        return i;
                    }
                }
                case MINUS -> {
                    if (t.is(i + 1, Keyword.SELECT) || t.type(i + 1) == '(') {
                        return i;
                    }
                    i++;
                }
                case WHERE,
                        GROUP,
                        HAVING,
                        ORDER,
                        LIMIT,
                        WINDOW,
                        UNION,
                        EXCEPT,
                        INTERSECT,
                        LOCK,
                        INTO,
                        PROCEDURE,
                        FETCH,
                        SET,
                        SELECT,
                        FROM,
                        WITH -> {
                    return i;
                }
                case AS, LEFT, RIGHT, INNER, OUTER, CROSS, NATURAL -> i++;
                default -> {
                    if (!condition && reference >= 0 && alias[reference] < 0) {
                        alias[reference] = i;
                    }
                    i++;
                }
            }
        }
    }

    private int joinParenthesis(int i, boolean collect) {
        if (++depth > MAX_DEPTH) {
            draft.notPure(NotPure.UNPARSED);
            depth--;
            return t.count();
        }
        int close = tables(i + 1, collect);
        depth--;
        if (t.type(close) != ')') {
            draft.notPure(NotPure.UNPARSED);
            return close;
        }
        return close + 1;
    }

    /** Whether the parenthesis at {@code i} holds a query and not a join. */
    private boolean isQuery(int i) {
        int j = i;
        while (t.type(j) == '(') {
            j++;
        }
        Keyword inner = t.keyword(j);
        if (inner != Keyword.SELECT && inner != Keyword.WITH && inner != Keyword.VALUES && inner != Keyword.TABLE) {
            return false;
        }
        if (j == i + 1) {
            return true;
        }
        // ((SELECT …) UNION …) is a query, ((SELECT …) d JOIN t) is a join.
        int after = t.afterParenthesis(i + 1);
        Keyword keyword = t.keyword(after);
        return t.type(after) == ')'
                || keyword != null
                        && switch (keyword) {
                            case UNION, EXCEPT, INTERSECT, MINUS, ORDER, LIMIT, FOR, LOCK -> true;
                            default -> false;
                        };
    }

    private int derivedAlias(int i) {
        int n = t.is(i, Keyword.AS) ? i + 1 : i;
        if (t.isName(n) && (t.keyword(n) == null || n > i) && t.type(n + 1) == '(') {
            t.markNotCall(n);
            return t.afterParenthesis(n + 1);
        }
        return i;
    }

    private int indexHint(int i) {
        int j = i + 1;
        if (!t.isAny(j, Keyword.INDEX, Keyword.KEY)) {
            return j;
        }
        j++;
        if (t.is(j, Keyword.FOR)) {
            j += t.is(j + 1, Keyword.JOIN) ? 2 : 3;
        }
        return t.type(j) == '(' ? t.afterParenthesis(j) : j;
    }

    /** Takes the table name at {@code i}; returns the index behind it. */
    int tableName(int i, boolean collect) {
        int qualifier = -1;
        int n = i;
        if (t.type(n + 1) == '.' && t.isName(n + 2)) {
            qualifier = n;
            n += 2;
        }
        if (collect) {
            if (references == MAX_REFERENCES) {
                draft.notPure(NotPure.TOO_LONG);
            } else {
                schema[references] = qualifier;
                name[references] = n;
                alias[references] = -1;
                references++;
            }
        } else if (qualifier >= 0 || !isDefined(n)) {
            draft.reads(table(qualifier, n));
        }
        return n + 1;
    }

    TableName table(int qualifier, int n) {
        return new TableName(qualifier < 0 ? null : t.name(qualifier), t.name(n));
    }

    /** Whether the kept reference is a common table expression. */
    boolean isExpression(int reference) {
        return schema[reference] < 0 && isDefined(name[reference]);
    }

    void forgetReferences() {
        Arrays.fill(alias, -1);
        references = 0;
    }
}
