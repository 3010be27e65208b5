package io.understudy.sql;

import java.util.Set;

/**
 * Statements that contain others: EXPLAIN and ANALYZE, SET STATEMENT … FOR, compound statements.
 *
 * <p>The outer statement reads and writes what the inner one does; the inner kind does not matter. Recursion happens,
 * and is bounded, here.
 */
final class NestedStatements {

    private static final int MAX_NESTING = 8;
    /** First words of the statements in a body that read or write tables. */
    private static final Set<Keyword> COUNTED =
            Keyword.set("SELECT INSERT REPLACE UPDATE DELETE TRUNCATE CREATE ALTER DROP RENAME LOAD SET WITH CALL DO");

    private final Tokens t;
    private final StatementSummarizer statements;
    private final AdminSummarizer admin;
    private Draft draft = new Draft();
    private int nesting;

    NestedStatements(Tokens tokens, StatementSummarizer statements, AdminSummarizer admin) {
        t = tokens;
        this.statements = statements;
        this.admin = admin;
    }

    void reset(Draft draft) {
        this.draft = draft;
        nesting = 0;
    }

    /** {@code SET STATEMENT a = 1, … FOR statement} at {@code i}: whether it is a query with harmless settings. */
    boolean setStatement(int i) {
        int n = i + 2;
        int depth = 0;
        while (!t.isEnd(n) && !(depth == 0 && t.is(n, Keyword.FOR))) {
            depth += t.type(n) == '(' ? 1 : t.type(n) == ')' ? -1 : 0;
            n++;
        }
        if (!t.is(n, Keyword.FOR)) {
            return false;
        }
        boolean harmless = isHarmless(i + 2, n);
        StatementKind carried = inner(n + 1);
        draft.carried = carried;
        return switch (carried) {
            case SELECT, VALUES, TABLE -> harmless;
            default -> false;
        };
    }

    /** Whether the assignments in {@code [from, to)} give literals to variables that only affect how a query reads. */
    private boolean isHarmless(int from, int to) {
        int n = from;
        while (n < to) {
            boolean assigned = t.isName(n) && (t.type(n + 1) == '=' || t.type(n + 1) == Lexer.ASSIGN);
            if (!assigned || !ReadVariables.ofOneStatement(t.name(n))) {
                return false;
            }
            n += 2;
            boolean sign = t.type(n) == '-' || t.type(n) == '+';
            n += sign ? 1 : 0;
            boolean literal = Tokens.isLiteral(t.type(n)) || t.isName(n) && t.type(n + 1) != '(';
            if (!literal || n + 1 < to && t.type(n + 1) != ',') {
                return false;
            }
            n += 2;
        }
        return n == to + 1;
    }

    /** {@code EXPLAIN}, {@code DESCRIBE} or {@code DESC} at {@code i}, of a statement, a connection or a table. */
    StatementKind explain(int i) {
        int n = i + 1;
        boolean analyze = false;
        while (t.isAny(n, Keyword.EXTENDED, Keyword.PARTITIONS)
                || t.is(n, Keyword.ANALYZE)
                || t.is(n, Keyword.FORMAT) && t.type(n + 1) == '=') {
            analyze |= t.is(n, Keyword.ANALYZE);
            n += t.is(n, Keyword.FORMAT) ? 3 : 1;
        }
        if (analyze) {
            draft.notPure(NotPure.ANALYZE);
        }
        if (explainable(n)) {
            int before = draft.written();
            inner(n);
            if (!analyze) {
                draft.demoteWrites(before);
            }
            if (!statements.isRead()) {
                draft.notPure(NotPure.NOT_A_READ);
            }
            return StatementKind.EXPLAIN;
        }
        if (t.is(n, Keyword.FOR) && t.is(n + 1, Keyword.CONNECTION)) {
            draft.sessionDependent = true;
            draft.notPure(NotPure.NOT_A_READ);
            return StatementKind.EXPLAIN;
        }
        if (n == i + 1 && t.isName(n)) {
            statements.markRead(admin.describe(n));
            return StatementKind.DESCRIBE;
        }
        draft.notPure(NotPure.UNPARSED);
        return StatementKind.EXPLAIN;
    }

    private boolean explainable(int n) {
        Keyword keyword = t.keyword(n);
        return t.type(n) == '('
                || keyword != null
                        && switch (keyword) {
                            case SELECT, WITH, TABLE, VALUES, INSERT, REPLACE, UPDATE, DELETE -> true;
                            default -> false;
                        };
    }

    /** {@code ANALYZE} at {@code i}: of a statement, which is executed, or of tables. */
    StatementKind analyze(int i) {
        int n = i + 1;
        if (t.is(n, Keyword.FORMAT) && t.type(n + 1) == '=') {
            n += 3;
        }
        if (explainable(n) && !t.is(n, Keyword.TABLE)) {
            draft.notPure(NotPure.ANALYZE);
            inner(n);
            return StatementKind.EXPLAIN;
        }
        admin.maintenance(i);
        return StatementKind.ADMIN;
    }

    /** A compound statement at {@code i}: every statement in it counts. */
    StatementKind block(int i) {
        if (t.is(i, Keyword.BEGIN) && !t.is(i + 1, Keyword.NOT)) {
            return StatementKind.BEGIN;
        }
        for (int n = i + 1; n < t.count(); n++) {
            draft.touchesSession |= touchesSession(n);
        }
        statementsFrom(i + 1);
        return StatementKind.BLOCK;
    }

    /** The body of a CREATE TRIGGER whose word TRIGGER is at {@code i}: its tables are what the trigger depends on. */
    void triggerBody(int i) {
        int n = i + 1;
        while (t.type(n) != Lexer.END && !(t.isWord(n - 1, "EACH") && t.isWord(n, "ROW"))) {
            n++;
        }
        n++;
        if (t.isWord(n, "FOLLOWS") || t.isWord(n, "PRECEDES")) {
            n += 2;
        }
        if (!t.is(n, Keyword.BEGIN)) {
            inner(n);
        }
        statementsFrom(n + 1);
    }

    private void statementsFrom(int from) {
        for (int n = from; n < t.count(); n++) {
            Keyword before = t.keyword(n - 1);
            boolean start = t.type(n - 1) == ';'
                    || before != null
                            && switch (before) {
                                case ATOMIC, BEGIN, THEN, ELSE, DO, LOOP, REPEAT -> true;
                                default -> false;
                            };
            Keyword keyword = t.keyword(n);
            if (start && keyword != null && COUNTED.contains(keyword)) {
                inner(n);
            }
        }
    }

    /** Whether a word stands at {@code n} that could begin a change of the session; also the SET of an UPDATE. */
    private boolean touchesSession(int n) {
        Keyword keyword = t.keyword(n);
        return t.isWord(n, "EXECUTE")
                || keyword != null
                        && switch (keyword) {
                            case SET, USE, LOCK, UNLOCK, CALL, PREPARE, TEMPORARY -> true;
                            default -> false;
                        };
    }

    private StatementKind inner(int n) {
        if (nesting == MAX_NESTING) {
            draft.unlisted = true;
            return StatementKind.UNKNOWN;
        }
        nesting++;
        StatementKind kind = statements.summarize(n);
        nesting--;
        return kind;
    }
}
