package io.understudy.sql;

import java.util.Arrays;
import java.util.List;

/** Tables of INSERT, REPLACE, UPDATE, DELETE and LOAD. */
final class DmlSummarizer {

    private final Tokens t;
    private final QueryWalker walker;
    private final List<QueryWalker.Reference> joined;

    DmlSummarizer(Tokens tokens, QueryWalker walker) {
        t = tokens;
        this.walker = walker;
        joined = walker.joined;
    }

    /** {@code INSERT} or {@code REPLACE} at {@code i}. */
    void insert(int i) {
        int n = i + 1;
        while (isModifier(n)) {
            // MariaDB answers before it writes the row, in another thread and its own domain.
            walker.draft.unlisted |= t.is(n, Keyword.DELAYED);
            n++;
        }
        n = written(t.is(n, Keyword.INTO) ? n + 1 : n);
        if (t.is(n, Keyword.PARTITION) && t.type(n + 1) == '(') {
            n = t.afterParenthesis(n + 1);
        }
        walker.walk(n);
    }

    /** {@code LOAD DATA} or {@code LOAD XML} at {@code i}. */
    void load(int i) {
        int n = i;
        while (t.type(n) != Lexer.END && !(t.is(n, Keyword.INTO) && t.is(n + 1, Keyword.TABLE))) {
            n++;
        }
        if (t.type(n) != Lexer.END) {
            walker.walk(written(n + 2));
        }
    }

    /** {@code UPDATE} at {@code i}; its common table expressions are already in scope. */
    void update(int i) {
        int n = i + 1;
        while (isModifier(n)) {
            n++;
        }
        n = walker.join(n);
        if (t.is(n, Keyword.FOR) && t.is(n + 1, Keyword.PORTION)) {
            while (t.type(n) != Lexer.END && !t.is(n, Keyword.SET)) {
                n++;
            }
        }
        int count = joined.size();
        boolean[] target = new boolean[count];
        if (count == 1) {
            target[0] = true;
        } else {
            assignments(n, target);
        }
        settle(target);
        walker.walk(n);
    }

    /** Marks the tables that {@code SET a.x = …, b.y = …} assigns to; an unqualified column may belong to any table. */
    private void assignments(int set, boolean[] target) {
        int depth = 0;
        boolean start = true;
        for (int i = set + 1; !t.isEnd(i); i++) {
            int type = t.type(i);
            if (depth == 0 && t.is(i, Keyword.WHERE)) {
                return;
            }
            if (start) {
                if (t.type(i + 1) != '.') {
                    Arrays.fill(target, true);
                } else if (t.type(i + 3) == '.') {
                    mark(i, i + 2, target);
                } else {
                    mark(-1, i, target);
                }
            }
            depth += type == '(' ? 1 : type == ')' ? -1 : 0;
            start = depth == 0 && type == ',';
        }
    }

    /** {@code DELETE} at {@code i}: the single-table form and both multi-table forms. */
    void delete(int i) {
        int n = i + 1;
        while (isModifier(n) || t.is(n, Keyword.HISTORY) && t.is(n + 1, Keyword.FROM)) {
            n++;
        }
        int targets = n;
        if (t.is(n, Keyword.FROM)) {
            targets = n + 1;
            int end = afterTargets(targets);
            if (!t.is(end, Keyword.USING)) {
                n = walker.join(n + 1);
                boolean[] target = new boolean[joined.size()];
                Arrays.fill(target, true);
                settle(target);
                walker.walk(n);
                return;
            }
            n = end + 1;
        } else {
            n = afterTargets(n);
            if (!t.is(n, Keyword.FROM)) {
                walker.draft.notPure(NotPure.UNPARSED);
                return;
            }
            n++;
        }
        int end = walker.join(n);
        boolean[] target = new boolean[joined.size()];
        for (int k = targets; k < n - 1; k++) {
            if (t.isName(k)) {
                if (t.type(k + 1) == '.' && t.isName(k + 2)) {
                    mark(k, k + 2, target);
                    k += 2;
                } else {
                    mark(-1, k, target);
                }
            }
        }
        settle(target);
        walker.walk(end);
    }

    /** Returns the index after {@code t, db.u.*}, a plain list of names. */
    private int afterTargets(int i) {
        int n = i;
        while (t.isName(n) && !t.isAny(n, Keyword.FROM, Keyword.USING, Keyword.WHERE)
                || t.type(n) == '.'
                || t.type(n) == ','
                || t.type(n) == '*') {
            n++;
        }
        return n;
    }

    private void mark(int qualifier, int n, boolean[] target) {
        boolean found = false;
        for (int k = 0; k < target.length; k++) {
            QueryWalker.Reference table = joined.get(k);
            boolean named = qualifier < 0 && table.alias >= 0
                    ? t.sameName(table.alias, n)
                    : t.sameName(table.name, n)
                            && (qualifier < 0 || table.schema < 0 || t.sameName(table.schema, qualifier));
            if (named) {
                target[k] = true;
                found = true;
            }
        }
        if (!found) {
            // Named but not joined: the server refuses it, unless the summary misread the statement.
            walker.draft.writes(t.table(qualifier, n));
        }
    }

    private void settle(boolean[] target) {
        for (int k = 0; k < target.length; k++) {
            QueryWalker.Reference joinedTable = joined.get(k);
            if (joinedTable.schema >= 0 || !walker.common.isDefined(joinedTable.name)) {
                TableName table = t.table(joinedTable.schema, joinedTable.name);
                if (target[k]) {
                    walker.draft.writes(table);
                } else {
                    walker.draft.reads(table);
                }
            }
        }
    }

    private int written(int n) {
        int after = walker.table(n, true);
        t.markNotCall(after > n ? after - 1 : -1);
        return after;
    }

    private boolean isModifier(int i) {
        Keyword keyword = t.keyword(i);
        return keyword != null
                && switch (keyword) {
                    case LOW_PRIORITY, HIGH_PRIORITY, DELAYED, IGNORE -> true;
                    // A modifier of DELETE, or a table of that name.
                    case QUICK -> t.isName(i + 1) && !t.is(i + 1, Keyword.SET);
                    default -> false;
                };
    }
}
