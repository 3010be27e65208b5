package io.understudy.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the tables of queries at any depth.
 *
 * <p>Walks the tokens once, with one call per parenthesis. It knows where table names may stand and leaves the rest of
 * the grammar to the server. {@link FromClause} and {@link CommonTables} handle FROM and WITH and call back for each
 * parenthesis.
 */
final class QueryWalker {

    private static final int MAX_DEPTH = 100;

    private final Tokens t;
    /** The common table expressions in scope. */
    final CommonTables common;
    /** A table that an UPDATE or DELETE joins: its tokens, -1 for no schema and no alias. */
    static final class Reference {
        final int schema;
        final int name;
        int alias = -1;

        Reference(int schema, int name) {
            this.schema = schema;
            this.name = name;
        }
    }

    /** Those collected by {@link #join}, until the whole statement has shown which of them it writes. */
    final List<Reference> joined = new ArrayList<>();

    private final FromClause from;
    /** Of the text that is summarised; this object's users write into it, too. */
    Draft draft = new Draft();

    private int depth;

    QueryWalker(Tokens tokens) {
        t = tokens;
        common = new CommonTables(tokens, this);
        from = new FromClause(tokens, this, common);
    }

    void reset(Draft draft) {
        this.draft = draft;
        depth = 0;
        common.reset();
        joined.clear();
    }

    /**
     * Walks expressions or a query from {@code i}; returns the index of the token that ends it: {@code )}, {@code ;} or
     * the end.
     */
    int walk(int i) {
        if (!descend()) {
            return t.count();
        }
        int mark = common.mark();
        int hiding = common.hiding();
        int end = clauses(i, mark);
        common.leave(mark, hiding);
        ascend();
        return end;
    }

    /** Enters a parenthesis; returns false, and does not enter, if the nesting is too deep. */
    boolean descend() {
        if (depth == MAX_DEPTH) {
            draft.notPure(NotPure.UNPARSED);
            return false;
        }
        depth++;
        return true;
    }

    /** Leaves a parenthesis. */
    void ascend() {
        depth--;
    }

    /**
     * Walks the tables that an UPDATE or DELETE joins into {@link #joined}; returns the index of the clause after them.
     */
    int join(int i) {
        joined.clear();
        return from.tables(i, true);
    }

    private int clauses(int first, int mark) {
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
                            i = from.tables(i + 1, false);
                            continue;
                        }
                    }
                    case WITH -> {
                        if (common.isClause(i)) {
                            common.hideSince(mark);
                            i = common.enter(i);
                            continue;
                        }
                    }
                    case TABLE -> {
                        if (startsQuery(i, first) && t.isName(i + 1)) {
                            i = from.tableName(i + 1, false);
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
        if (i == first || t.type(i - 1) == ')') {
            return true; // WITH a AS (…) TABLE t
        }
        Keyword before = t.keyword(i - 1);
        return before != null
                && switch (before) {
                    case UNION, EXCEPT, INTERSECT, MINUS, ALL, DISTINCT, AS -> true;
                    default -> false;
                };
    }

    /** Takes the table named at {@code n} as one that is written or read; returns the index after it. */
    int table(int n, boolean write) {
        if (!t.isName(n)) {
            draft.notPure(NotPure.UNPARSED);
            return n;
        }
        boolean qualified = t.type(n + 1) == '.' && t.isName(n + 2);
        int name = qualified ? n + 2 : n;
        TableName table = t.table(qualified ? n : -1, name);
        if (write) {
            draft.writes(table);
        } else {
            draft.reads(table);
        }
        return name + 1;
    }

    /** Walks the parenthesis at {@code i} and returns the index after it. */
    int parenthesis(int i) {
        int close = walk(i + 1);
        if (t.type(close) != ')') {
            draft.notPure(NotPure.UNPARSED);
            return close;
        }
        return close + 1;
    }
}
