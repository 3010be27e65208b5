package io.understudy.sql;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides the kind of one statement by its first words and delegates the rest to its family.
 *
 * <p>{@link Summarizer} handles texts of several statements; {@link NestedStatements} calls back for statements inside
 * another.
 */
final class StatementSummarizer {

    private final Tokens t;
    private final QueryWalker walker;
    private final DmlSummarizer dml;
    private final DdlSummarizer ddl;
    private final AdminSummarizer admin;
    private final NestedStatements nested;
    private Draft draft = new Draft();
    private boolean read;
    private boolean show;
    /** Whether the last SET is a harmless SET STATEMENT … FOR a query. */
    private boolean ownSettings;

    StatementSummarizer(Tokens tokens) {
        t = tokens;
        walker = new QueryWalker(tokens);
        dml = new DmlSummarizer(tokens, walker);
        ddl = new DdlSummarizer(tokens, walker);
        admin = new AdminSummarizer(tokens, walker);
        nested = new NestedStatements(tokens, this, admin);
    }

    void reset(Draft draft) {
        this.draft = draft;
        walker.reset(draft);
        nested.reset(draft);
    }

    /** Returns whether the last summarised statement only reads, as far as its first words tell. */
    boolean isRead() {
        return read;
    }

    /** Returns whether it is a SHOW, in which words like CREATE and PROCEDURE are harmless. */
    boolean isShow() {
        return show;
    }

    void markRead(boolean read) {
        this.read = read;
    }

    /** Returns whether the CREATE at {@code first} has a body with semicolons, so that the text ends with it. */
    boolean hasBody(int first) {
        return ddl.hasBody(first);
    }

    /** Summarises the statement at {@code first} into the draft and returns its kind. */
    StatementKind summarize(int first) {
        boolean outer = draft.temporary;
        draft.temporary = false;
        StatementKind kind = summarizeOne(first);
        draft.anyTemporary |= draft.temporary;
        draft.temporary = outer;
        return kind;
    }

    private StatementKind summarizeOne(int first) {
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
        int writings = draft.writings();
        StatementKind kind = keyword == null ? StatementKind.UNKNOWN : kind(i, keyword);
        if (i > first && kind != StatementKind.SELECT && kind != StatementKind.VALUES && kind != StatementKind.TABLE) {
            kind = StatementKind.UNKNOWN;
        }
        draft.touchesSession |= touchesSession(kind, i);
        draft.dataOnly &= isDataOnly(kind);
        draft.commits |= kind.implicitCommit() && !draft.temporary;
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
            case SET -> {
                if (!ownSettings) {
                    draft.notPure(NotPure.NOT_A_READ);
                }
                ownSettings = false;
            }
            default -> draft.notPure(kind.writes() ? NotPure.WRITES : NotPure.NOT_A_READ);
        }
        draft.unlisted |= mayWriteUnlisted(kind, draft.writings() > writings) && !writesNothing(kind, keyword);
        draft.schema |= kind == StatementKind.UNKNOWN
                || kind == StatementKind.BLOCK
                || kind.isDdl() && kind != StatementKind.TRUNCATE && !draft.temporary;
        return kind;
    }

    private static boolean isDataOnly(StatementKind kind) {
        return switch (kind) {
            case SELECT, INSERT, UPDATE, DELETE, REPLACE -> true;
            default -> false;
        };
    }

    private boolean touchesSession(StatementKind kind, int i) {
        return switch (kind) {
            case SET -> !t.is(i + 1, Keyword.STATEMENT);
            case USE, LOCK, UNLOCK, CALL, PREPARE, EXECUTE, UNKNOWN -> true;
            case CREATE, DROP -> draft.temporary;
            default -> false;
        };
    }

    private static boolean mayWriteUnlisted(StatementKind kind, boolean named) {
        return switch (kind) {
            case CALL, EXECUTE, GRANT, BINLOG, BLOCK, INSTALL, XA_PREPARE, XA_COMMIT, XA_ROLLBACK, UNKNOWN -> true;
            case INSERT, REPLACE, UPDATE, DELETE, LOAD, TRUNCATE, CREATE, ALTER, DROP, RENAME, ADMIN -> !named;
            default -> false;
        };
    }

    /**
     * Administration that changes no rows. What {@link AdminSummarizer} does not understand is unlisted all the same.
     */
    private static boolean writesNothing(StatementKind kind, @Nullable Keyword keyword) {
        return kind == StatementKind.ADMIN
                && keyword != null
                && switch (keyword) {
                    case ANALYZE, BACKUP, CACHE, CHECK, CHECKSUM, LOAD, PURGE, RESTART, SHUTDOWN -> true;
                    default -> false;
                };
    }

    private void query(int first) {
        read = true;
        if (t.type(walker.walk(first)) == ')') {
            draft.notPure(NotPure.UNPARSED);
        }
    }

    private StatementKind kind(int i, Keyword keyword) {
        switch (keyword) {
            case WITH -> {
                return with(i);
            }
            case DESC, DESCRIBE, EXPLAIN -> {
                return nested.explain(i);
            }
            case LOAD -> {
                return load(i);
            }
            case DROP -> {
                return drop(i);
            }
            case ANALYZE -> {
                return nested.analyze(i);
            }
            case BEGIN, IF, CASE, DECLARE, FOR, LOOP, REPEAT, WHILE -> {
                return nested.block(i);
            }
            case INSERT, REPLACE -> dml.insert(i);
            case UPDATE -> dml.update(i);
            case DELETE -> dml.delete(i);
            case TRUNCATE -> ddl.truncate(i);
            case CREATE -> {
                int trigger = ddl.create(i);
                if (trigger > 0) {
                    nested.triggerBody(trigger);
                }
            }
            case ALTER -> ddl.alter(i);
            case RENAME -> ddl.rename(i);
            case SET -> set(i);
            case CALL, DO -> walker.walk(i + 1);
            case LOCK -> admin.lock(i);
            case HANDLER -> admin.handler(i);
            case CHECK, CHECKSUM, OPTIMIZE, REPAIR -> admin.maintenance(i);
            case USE -> {
                String used = t.isName(i + 1) && !t.isUndecoded(i + 1) ? t.name(i + 1) : null;
                draft.useSchema = used == null || used.length() > Draft.LONGEST_NAME ? null : used;
            }
            case GET -> {
                draft.readsDiagnostics = true;
                draft.sessionDependent = true;
            }
            default -> {}
        }
        return FirstKeyword.of(t, i, keyword);
    }

    private StatementKind with(int i) {
        if (!walker.common.isClause(i)) {
            return StatementKind.UNKNOWN;
        }
        // Finds the statement after the clause; SELECT walks the clause again, in its own scope.
        int n = walker.common.behind(i);
        Keyword keyword = t.keyword(n);
        if (keyword != null
                && switch (keyword) {
                    case UPDATE, DELETE, INSERT, REPLACE -> true;
                    default -> false;
                }) {
            return kind(walker.common.enter(i), keyword);
        }
        while (t.type(n) == '(') {
            n++;
        }
        return t.isAny(n, Keyword.SELECT, Keyword.VALUES, Keyword.TABLE)
                ? Objects.requireNonNull(t.keyword(n)).kind()
                : StatementKind.UNKNOWN;
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

    private void set(int i) {
        if (t.is(i + 1, Keyword.STATEMENT)) {
            ownSettings = nested.setStatement(i);
            draft.ownSettings |= ownSettings;
        } else {
            ownSettings = false;
            draft.commits |= changesAccount(i + 1);
            walker.walk(i + 1);
        }
    }

    /**
     * Returns whether one of the assignments is {@code PASSWORD} or {@code DEFAULT ROLE}: MariaDB takes them in any
     * place.
     */
    private boolean changesAccount(int from) {
        boolean next = true;
        for (int n = from; !t.isEnd(n); n++) {
            if (next && (t.is(n, Keyword.PASSWORD) || t.is(n, Keyword.DEFAULT) && t.is(n + 1, Keyword.ROLE))) {
                return true;
            }
            next = t.type(n) == ',';
        }
        return false;
    }
}
