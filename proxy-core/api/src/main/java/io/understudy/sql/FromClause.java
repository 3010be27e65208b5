package io.understudy.sql;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Walks the table list after FROM, UPDATE and the like: names, derived tables, joins, aliases, hints.
 *
 * <p>Separate from {@link QueryWalker} because names mean something else here: there a name is a column or function
 * unless a keyword says otherwise, here it is a table unless a keyword says otherwise.
 */
final class FromClause {
    private static final int MAX_REFERENCES = 64;
    private static final Set<Keyword> NEXT_CLAUSES =
            Keyword.set("WHERE GROUP HAVING ORDER LIMIT WINDOW UNION EXCEPT INTERSECT LOCK INTO PROCEDURE FETCH"
                    + " SET SELECT FROM WITH");

    private final Tokens t;
    private final QueryWalker walker;
    private final CommonTables common;

    FromClause(Tokens tokens, QueryWalker walker, CommonTables common) {
        t = tokens;
        this.walker = walker;
        this.common = common;
    }

    /**
     * Walks a list of joined tables with their conditions and returns the index of the clause after it.
     *
     * @param collect whether to keep the tables as {@link QueryWalker#joined} instead of counting them as read
     */
    int tables(int first, boolean collect) {
        boolean expected = true;
        boolean condition = false;
        QueryWalker.@Nullable Reference reference = null;
        int i = first;
        while (true) {
            int type = t.type(i);
            if (type == Lexer.END || type == ')' || type == ';') {
                if (expected) {
                    walker.draft.notPure(NotPure.UNPARSED);
                }
                return i;
            }
            if (expected) {
                reference = null;
                if (type == '(') {
                    i = isQuery(i) ? walker.parenthesis(i) : joinParenthesis(i, collect);
                    i = derivedAlias(i);
                    expected = false;
                } else if (type == '{') {
                    i += t.is(i + 1, Keyword.OJ) ? 2 : 1;
                } else if (t.is(i, Keyword.LATERAL) && t.type(i + 1) == '(') {
                    i++;
                } else if (t.is(i, Keyword.JSON_TABLE) && t.type(i + 1) == '(') {
                    // Anywhere else MariaDB calls a stored function of that name.
                    t.markNotCall(i);
                    i = walker.parenthesis(i + 1);
                    expected = false;
                } else if (t.is(i, Keyword.DUAL) && t.type(i + 1) != '.') {
                    i++;
                    expected = false;
                } else if (t.isName(i)) {
                    int before = walker.joined.size();
                    i = tableName(i, collect);
                    reference = walker.joined.size() > before ? walker.joined.get(before) : null;
                    expected = false;
                    if (t.type(i) == '(') {
                        walker.draft.notPure(NotPure.UNPARSED);
                    }
                } else {
                    walker.draft.notPure(NotPure.UNPARSED);
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
                i = walker.parenthesis(i);
                continue;
            }
            Keyword keyword = t.keyword(i);
            if (keyword != null && NEXT_CLAUSES.contains(keyword)) {
                return i;
            }
            if (keyword == null) {
                if (!condition && reference != null && t.isName(i)) {
                    alias(reference, i);
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
                        // AS OF does not introduce an alias.
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
                case AS, LEFT, RIGHT, INNER, OUTER, CROSS, NATURAL -> i++;
                default -> {
                    if (!condition && reference != null) {
                        alias(reference, i);
                    }
                    i++;
                }
            }
        }
    }

    /** The first name behind a table is its alias. */
    private static void alias(QueryWalker.Reference reference, int n) {
        reference.alias = reference.alias < 0 ? n : reference.alias;
    }

    private int joinParenthesis(int i, boolean collect) {
        if (!walker.descend()) {
            return t.count();
        }
        int close = tables(i + 1, collect);
        walker.ascend();
        if (t.type(close) != ')') {
            walker.draft.notPure(NotPure.UNPARSED);
            return close;
        }
        return close + 1;
    }

    /** Returns whether the parenthesis at {@code i} holds a query and not a join. */
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

    /** Takes the table name at {@code i} and returns the index after it. */
    int tableName(int i, boolean collect) {
        int qualifier = -1;
        int n = i;
        if (t.type(n + 1) == '.' && t.isName(n + 2)) {
            qualifier = n;
            n += 2;
        }
        if (collect) {
            if (walker.joined.size() == MAX_REFERENCES) {
                walker.draft.notPure(NotPure.TOO_LONG);
            } else {
                walker.joined.add(new QueryWalker.Reference(qualifier, n));
            }
        } else if (qualifier >= 0 || !common.hides(n)) {
            walker.draft.reads(t.table(qualifier, n));
        }
        return n + 1;
    }
}
