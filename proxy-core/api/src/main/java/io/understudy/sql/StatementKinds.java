package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/** Kinds that one or two words decide. */
final class StatementKinds {

    private StatementKinds() {}

    /** Returns the kind of the statement at {@code i}, for statements whose tables are not tracked. */
    static StatementKind simple(Tokens t, int i, Keyword keyword) {
        if (!needsMore(keyword)) {
            return byFirstWord(keyword);
        }
        boolean work = keyword == Keyword.ROLLBACK && t.is(i + 1, Keyword.WORK);
        return byFirstWords(keyword, t.keyword(work ? i + 2 : i + 1));
    }

    /** Returns whether the word after {@code first} may change the kind. */
    static boolean needsMore(@Nullable Keyword first) {
        return first == Keyword.START || first == Keyword.ROLLBACK || first == Keyword.XA;
    }

    /**
     * Returns the kind of a statement whose first word {@link #needsMore}.
     *
     * @param next the word after it; after {@code ROLLBACK WORK} the one after that; null if it is no keyword
     */
    static StatementKind byFirstWords(@Nullable Keyword first, @Nullable Keyword next) {
        if (first == Keyword.START) {
            return next == Keyword.TRANSACTION ? StatementKind.BEGIN : StatementKind.CHANGE;
        }
        if (first == Keyword.ROLLBACK) {
            return next == Keyword.TO ? StatementKind.SAVEPOINT : StatementKind.ROLLBACK;
        }
        if (next == Keyword.COMMIT) {
            return StatementKind.XA_COMMIT;
        }
        if (next == Keyword.ROLLBACK) {
            return StatementKind.XA_ROLLBACK;
        }
        return next == Keyword.PREPARE ? StatementKind.XA_PREPARE : StatementKind.XA;
    }

    /** Returns the kind by the first word alone. */
    static StatementKind byFirstWord(@Nullable Keyword keyword) {
        if (keyword == null) {
            return StatementKind.UNKNOWN;
        }
        return switch (keyword) {
            case SELECT, WITH -> StatementKind.SELECT;
            case VALUES -> StatementKind.VALUES;
            case TABLE -> StatementKind.TABLE;
            case SHOW -> StatementKind.SHOW;
            case DESC, DESCRIBE -> StatementKind.DESCRIBE;
            case EXPLAIN -> StatementKind.EXPLAIN;
            case HELP -> StatementKind.HELP;
            case INSERT -> StatementKind.INSERT;
            case REPLACE -> StatementKind.REPLACE;
            case UPDATE -> StatementKind.UPDATE;
            case DELETE -> StatementKind.DELETE;
            case LOAD -> StatementKind.LOAD;
            case TRUNCATE -> StatementKind.TRUNCATE;
            case CREATE -> StatementKind.CREATE;
            case ALTER -> StatementKind.ALTER;
            case DROP -> StatementKind.DROP;
            case RENAME -> StatementKind.RENAME;
            case CALL -> StatementKind.CALL;
            case SET -> StatementKind.SET;
            case USE -> StatementKind.USE;
            case BEGIN, START -> StatementKind.BEGIN;
            case COMMIT -> StatementKind.COMMIT;
            case ROLLBACK -> StatementKind.ROLLBACK;
            case SAVEPOINT, RELEASE -> StatementKind.SAVEPOINT;
            case XA -> StatementKind.XA;
            case LOCK -> StatementKind.LOCK;
            case UNLOCK -> StatementKind.UNLOCK;
            case HANDLER -> StatementKind.HANDLER;
            case PREPARE -> StatementKind.PREPARE;
            case EXECUTE -> StatementKind.EXECUTE;
            case DEALLOCATE -> StatementKind.DEALLOCATE;
            case DO -> StatementKind.DO;
            case GRANT, REVOKE -> StatementKind.GRANT;
            case FLUSH -> StatementKind.FLUSH;
            case KILL -> StatementKind.KILL;
            case ANALYZE, BACKUP, CACHE, CHECK, CHECKSUM, CLONE, IMPORT, OPTIMIZE, PURGE, REPAIR, RESTART, SHUTDOWN ->
                StatementKind.ADMIN;
            case CHANGE, STOP -> StatementKind.CHANGE;
            case BINLOG -> StatementKind.BINLOG;
            case CASE, DECLARE, FOR, IF, LOOP, REPEAT, WHILE -> StatementKind.BLOCK;
            case INSTALL, UNINSTALL -> StatementKind.INSTALL;
            case RESET -> StatementKind.RESET;
            case SIGNAL, RESIGNAL -> StatementKind.SIGNAL;
            case GET -> StatementKind.GET_DIAGNOSTICS;
            default -> StatementKind.UNKNOWN;
        };
    }
}
