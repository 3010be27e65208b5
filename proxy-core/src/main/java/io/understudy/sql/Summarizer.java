package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/** Turns a statement's tokens into its summary: decides the kind and hands the rest to the family it belongs to. */
final class Summarizer {

    private final Lexer lexer;
    private final Tokens t = new Tokens();
    private final QueryWalker walker = new QueryWalker(t);
    private final DmlSummarizer dml = new DmlSummarizer(t, walker);
    private final DdlSummarizer ddl = new DdlSummarizer(t, walker);
    private final AdminSummarizer admin = new AdminSummarizer(t, walker);
    private final ReadRules rules = new ReadRules(t);
    private Draft draft = new Draft();
    private boolean read;
    private boolean show;
    private int nesting;

    Summarizer(Lexer lexer) {
        this.lexer = lexer;
    }

    /**
     * Summarises.
     *
     * @param outer a reason that the caller knows from the bytes alone, or null
     */
    StatementSummary run(byte[] text, int off, int len, int modes, long digest, @Nullable NotPure outer) {
        t.load(lexer, text, off, len, modes);
        Draft d = new Draft();
        draft = d;
        walker.reset(d);
        dml.reset(d);
        ddl.reset(d);
        admin.reset(d);
        if (outer != null) {
            d.notPureAboveAll(outer);
        }
        if ((t.flags & Lexer.EXECUTABLE) != 0) {
            d.notPure(NotPure.EXECUTABLE_COMMENT);
        }
        if ((t.flags & (Lexer.UNTERMINATED | Lexer.BAD_TEXT)) != 0) {
            d.notPure(NotPure.UNPARSED);
        }
        if ((t.flags & Lexer.HINT_SETS) != 0) {
            d.notPure(NotPure.HINT);
        }
        int first = firstToken(0);
        StatementKind kind = statements(first);
        rules.apply(d, first, read, show, modes);
        StatementSummary summary = d.finish(digest, kind);
        draft = new Draft();
        t.release();
        return summary;
    }

    private int firstToken(int i) {
        int n = i;
        while (t.type(n) == ';') {
            n++;
        }
        return n;
    }

    private StatementKind statements(int first) {
        StatementKind kind = statement(first);
        if (kind == StatementKind.BLOCK || kind == StatementKind.CREATE && hasBody(first)) {
            return kind;
        }
        int next = nextStatement(first);
        if (next < 0) {
            return kind;
        }
        draft.notPure(NotPure.MULTI_STATEMENT);
        while (next >= 0) {
            statement(next);
            next = nextStatement(next);
        }
        read = false;
        return StatementKind.MULTI;
    }

    /** The first token of the statement after the one at {@code i}, or -1. */
    private int nextStatement(int i) {
        int n = i;
        while (t.type(n) != ';') {
            if (t.type(n) == Lexer.END) {
                return -1;
            }
            n++;
        }
        n = firstToken(n);
        return t.type(n) == Lexer.END ? -1 : n;
    }

    private boolean hasBody(int first) {
        for (int n = first; n < t.count(); n++) {
            Keyword keyword = t.keyword(n);
            if (keyword == Keyword.PROCEDURE
                    || keyword == Keyword.FUNCTION
                    || keyword == Keyword.TRIGGER
                    || keyword == Keyword.EVENT
                    || keyword == Keyword.PACKAGE) {
                return true;
            }
            if (keyword == Keyword.TABLE || keyword == Keyword.VIEW || t.type(n) == ';') {
                return false;
            }
        }
        return false;
    }

    /** Summarises the statement at {@code first} into the draft and returns its kind. */
    private StatementKind statement(int first) {
        read = false;
        show = false;
        int i = first;
        while (t.type(i) == '(') {
            i++;
        }
        if (t.type(i) == Lexer.END && i == first) {
            draft.notPure(NotPure.NOT_A_READ);
            return StatementKind.EMPTY;
        }
        Keyword keyword = t.keyword(i);
        StatementKind kind = keyword == null ? StatementKind.UNKNOWN : kind(i, keyword);
        if (i > first && kind != StatementKind.SELECT && kind != StatementKind.VALUES && kind != StatementKind.TABLE) {
            kind = StatementKind.UNKNOWN;
        }
        switch (kind) {
            case SELECT, VALUES, TABLE -> query(first);
            case SHOW -> {
                read = true;
                show = true;
                admin.show(i);
            }
            case HELP -> read = true;
            case EXPLAIN, DESCRIBE -> {}
            case UNKNOWN -> draft.notPure(NotPure.UNPARSED);
            default -> draft.notPure(kind.writes() ? NotPure.WRITES : NotPure.NOT_A_READ);
        }
        return kind;
    }

    private void query(int first) {
        read = true;
        if (t.type(walker.walk(first)) == ')') {
            draft.notPure(NotPure.UNPARSED);
        }
    }

    private StatementKind kind(int i, Keyword keyword) {
        return switch (keyword) {
            case SELECT -> StatementKind.SELECT;
            case VALUES -> StatementKind.VALUES;
            case WITH -> with(i);
            case TABLE -> StatementKind.TABLE;
            case SHOW -> StatementKind.SHOW;
            case DESC, DESCRIBE, EXPLAIN -> explain(i);
            case HELP -> StatementKind.HELP;
            case INSERT -> {
                dml.insert(i);
                yield StatementKind.INSERT;
            }
            case REPLACE -> {
                dml.insert(i);
                yield StatementKind.REPLACE;
            }
            case UPDATE -> {
                dml.update(i);
                yield StatementKind.UPDATE;
            }
            case DELETE -> {
                dml.delete(i);
                yield StatementKind.DELETE;
            }
            case LOAD -> load(i);
            case TRUNCATE -> {
                ddl.truncate(i);
                yield StatementKind.TRUNCATE;
            }
            case CREATE -> {
                ddl.create(i);
                yield StatementKind.CREATE;
            }
            case ALTER -> {
                ddl.alter(i);
                yield StatementKind.ALTER;
            }
            case DROP -> drop(i);
            case RENAME -> {
                ddl.rename(i);
                yield StatementKind.RENAME;
            }
            case SET -> set(i);
            case CALL, DO -> {
                walker.walk(i + 1);
                yield keyword == Keyword.CALL ? StatementKind.CALL : StatementKind.DO;
            }
            case LOCK -> {
                admin.lock(i);
                yield StatementKind.LOCK;
            }
            case HANDLER -> {
                admin.handler(i);
                yield StatementKind.HANDLER;
            }
            case ANALYZE -> analyze(i);
            case CHECK, CHECKSUM, OPTIMIZE, REPAIR -> {
                admin.maintenance(i);
                yield StatementKind.ADMIN;
            }
            case USE -> {
                draft.useSchema = t.isName(i + 1) ? t.name(i + 1) : null;
                yield StatementKind.USE;
            }
            case BEGIN, IF, CASE, DECLARE, FOR, LOOP, REPEAT, WHILE -> block(i);
            case GET -> {
                draft.readsDiagnostics = true;
                draft.sessionDependent = true;
                yield StatementKind.GET_DIAGNOSTICS;
            }
            default -> StatementKinds.simple(t, i, keyword);
        };
    }

    private StatementKind with(int i) {
        if (!walker.isWithClause(i)) {
            return StatementKind.UNKNOWN;
        }
        // A first look for what follows; SELECT walks the clause again, in its own scope.
        int n = afterWithClause(i);
        Keyword keyword = t.keyword(n);
        if (keyword == Keyword.UPDATE || keyword == Keyword.DELETE) {
            n = walker.withClause(i);
            return kind(n, keyword);
        }
        if (keyword == Keyword.INSERT || keyword == Keyword.REPLACE) {
            n = walker.withClause(i);
            return kind(n, keyword);
        }
        while (t.type(n) == '(') {
            n++;
        }
        return t.is(n, Keyword.SELECT)
                ? StatementKind.SELECT
                : t.is(n, Keyword.VALUES)
                        ? StatementKind.VALUES
                        : t.is(n, Keyword.TABLE) ? StatementKind.TABLE : StatementKind.UNKNOWN;
    }

    private int afterWithClause(int with) {
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

    private StatementKind load(int i) {
        if (t.isAny(i + 1, Keyword.DATA, Keyword.XML)) {
            dml.load(i);
            return StatementKind.LOAD;
        }
        return StatementKind.ADMIN;
    }

    private StatementKind drop(int i) {
        if (t.is(i + 1, Keyword.PREPARE)) {
            return StatementKind.DEALLOCATE;
        }
        ddl.drop(i);
        return StatementKind.DROP;
    }

    private StatementKind set(int i) {
        if (t.is(i + 1, Keyword.STATEMENT)) {
            int n = i + 2;
            int depth = 0;
            while (t.type(n) != Lexer.END && t.type(n) != ';' && !(depth == 0 && t.is(n, Keyword.FOR))) {
                depth += t.type(n) == '(' ? 1 : t.type(n) == ')' ? -1 : 0;
                n++;
            }
            if (t.is(n, Keyword.FOR)) {
                draft.notPure(NotPure.NOT_A_READ);
                inner(n + 1);
            }
        } else {
            draft.commits |= t.is(i + 1, Keyword.PASSWORD);
            walker.walk(i + 1);
        }
        return StatementKind.SET;
    }

    /** A statement inside another one, whose own kind does not matter. */
    private StatementKind inner(int n) {
        boolean nested = ++nesting > 8;
        StatementKind kind = nested ? StatementKind.UNKNOWN : statement(n);
        nesting--;
        return kind;
    }

    private StatementKind explain(int i) {
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
            StatementKind kind = inner(n);
            if (!analyze) {
                draft.demoteWrites();
            }
            if (!read) {
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
            read = admin.describe(n);
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

    private StatementKind analyze(int i) {
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

    /** A compound statement: every statement in it counts. */
    private StatementKind block(int i) {
        if (t.is(i, Keyword.BEGIN) && !t.is(i + 1, Keyword.NOT)) {
            return StatementKind.BEGIN;
        }
        for (int n = i + 1; n < t.count(); n++) {
            Keyword before = t.keyword(n - 1);
            boolean start = t.type(n - 1) == ';'
                    || before != null
                            && switch (before) {
                                case ATOMIC, BEGIN, THEN, ELSE, DO, LOOP, REPEAT -> true;
                                default -> false;
                            };
            Keyword keyword = t.keyword(n);
            if (start && keyword != null) {
                switch (keyword) {
                    case SELECT,
                            INSERT,
                            REPLACE,
                            UPDATE,
                            DELETE,
                            TRUNCATE,
                            CREATE,
                            ALTER,
                            DROP,
                            RENAME,
                            LOAD,
                            SET,
                            WITH,
                            CALL,
                            DO -> inner(n);
                    default -> {}
                }
            }
        }
        return StatementKind.BLOCK;
    }
}
