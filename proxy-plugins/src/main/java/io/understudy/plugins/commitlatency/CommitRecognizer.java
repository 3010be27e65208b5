package io.understudy.plugins.commitlatency;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.wire.ServerStatus;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells which answers of a session were commits. Follows the session answer by answer, not command by command, so that
 * pipelined commands are judged by the state they met. On the session's event loop only.
 *
 * <p>A GTID in the answer settles it: both products send one exactly with statements that logged a transaction. Where a
 * session has been seen to get GTIDs, their absence settles what the text leaves open. Without GTIDs, affected rows,
 * statement kinds and the transaction's edges decide; what a procedure or a statement prepared in SQL did is then told from
 * its affected rows and from the transaction's end.
 *
 * <p>A schema change that fails has all the same committed the open transaction before, unless it was refused as a text or by
 * a rule that is looked at first. The server says so neither in the error nor by GTID, so the error's number decides.
 */
final class CommitRecognizer {
    private static final int ER_LOCK_DEADLOCK = 1213;

    /**
     * Errors that come before the implicit commit, in both servers' order of checks: 1064 and 1149 syntax, 1192 locks or a
     * transaction are in the way, 1290 the server is read-only, 1399 an XA transaction is open, 1792 the transaction is read-only.
     */
    private static final Set<Integer> BEFORE_IMPLICIT_COMMIT = Set.of(1064, 1149, 1192, 1290, 1399, 1792);

    private final boolean foundRows;
    private final boolean okEndsResults;

    private boolean inTransaction;
    private Writes writes = Writes.NONE;
    private Writes prepared = Writes.NONE;
    private boolean gtidsSeen;

    /**
     * @param foundRows {@code CLIENT_FOUND_ROWS} was agreed on
     * @param okEndsResults {@code CLIENT_DEPRECATE_EOF} was agreed on: a result set ends with an OK that can bear a GTID
     */
    CommitRecognizer(boolean foundRows, boolean okEndsResults) {
        this.foundRows = foundRows;
        this.okEndsResults = okEndsResults;
    }

    /** The session's variables are back at their defaults, and an open transaction was rolled back. */
    void reset() {
        inTransaction = false;
        writes = Writes.NONE;
        gtidsSeen = false;
    }

    /** A transaction is open, as far as responses have told. */
    boolean inTransaction() {
        return inTransaction;
    }

    /** The open transaction has written, or may have. */
    boolean wrote() {
        return writes != Writes.NONE;
    }

    /**
     * An answer is over.
     *
     * @param temporaryTables the session may have temporary tables
     * @return what kind of commit it was, or null for none
     */
    @Nullable
    CommitKind answered(CommandView command, ResponseView response, boolean temporaryTables) {
        if (!response.ok()) {
            return failed(command, response.errorCode());
        }
        if (!command.isStatement()) {
            settle(response.inTransaction(), Writes.NONE, false);
            return null;
        }
        boolean after = response.inTransaction();
        Writes own = Writes.of(command, response, foundRows, temporaryTables);
        String gtid = response.gtid();
        gtidsSeen |= gtid != null;
        StatementKind kind = command.kind();
        CommitKind commit;
        if (kind == StatementKind.ROLLBACK || kind == StatementKind.XA_ROLLBACK || kind == StatementKind.XA_PREPARE) {
            commit = null; // logged with a GTID in some cases, and yet nothing was committed
        } else if (gtid != null) {
            commit = told(kind, after);
        } else {
            boolean wouldBeTold = gtidsSeen && (response.rows() == 0 || okEndsResults);
            commit = inferred(kind, own, response, after, wouldBeTold);
        }
        if (kind == StatementKind.XA_PREPARE) {
            prepared = writes;
        }
        boolean ended = commit != null
                || kind == StatementKind.ROLLBACK
                || kind == StatementKind.COMMIT
                || kind == StatementKind.BEGIN;
        settle(after, own, ended);
        return commit;
    }

    private @Nullable CommitKind failed(CommandView command, int error) {
        if (error == ER_LOCK_DEADLOCK) {
            writes = Writes.NONE; // the server has rolled the whole transaction back
            return null;
        }
        if (!command.isStatement()
                || !inTransaction
                || !Writes.changesSchema(command.kind())
                || BEFORE_IMPLICIT_COMMIT.contains(error)) {
            return null;
        }
        StatementSummary summary = command.summary();
        if (summary != null && summary.temporary()) {
            return null;
        }
        Writes committed = writes;
        writes = Writes.NONE;
        inTransaction = false;
        return counts(committed, false) ? CommitKind.COMMIT : null;
    }

    private void settle(boolean after, Writes own, boolean ended) {
        if (!after || ended) {
            writes = Writes.NONE;
        } else {
            writes = writes.and(own);
        }
        inTransaction = after;
    }

    private CommitKind told(StatementKind kind, boolean after) {
        if (kind == StatementKind.COMMIT || kind == StatementKind.XA_COMMIT) {
            return CommitKind.COMMIT;
        }
        if (kind.isDml()) {
            // In a transaction that goes on, it wrote to an engine without transactions, which logs at once.
            return inTransaction && !after ? CommitKind.COMMIT : CommitKind.AUTOCOMMIT;
        }
        if (Writes.changesSchema(kind) || kind == StatementKind.ADMIN || kind == StatementKind.INSTALL) {
            return CommitKind.DDL;
        }
        return inTransaction ? CommitKind.COMMIT : CommitKind.AUTOCOMMIT;
    }

    private @Nullable CommitKind inferred(
            StatementKind kind, Writes own, ResponseView response, boolean after, boolean wouldBeTold) {
        if (kind == StatementKind.COMMIT) {
            return inTransaction && counts(writes, wouldBeTold) ? CommitKind.COMMIT : null;
        }
        if (kind == StatementKind.XA_COMMIT) {
            Writes all = writes.and(prepared);
            prepared = Writes.NONE;
            return counts(all, wouldBeTold) ? CommitKind.COMMIT : null;
        }
        if (Writes.changesSchema(kind)) {
            return own == Writes.NONE ? null : CommitKind.DDL;
        }
        if (inTransaction) {
            boolean ends = kind == StatementKind.BEGIN || !after;
            return ends && mayCommit(kind, response) && counts(writes.and(own), wouldBeTold) ? CommitKind.COMMIT : null;
        }
        boolean changed = response.affectedRows() > 0 || kind.isDml();
        return !after && changed && counts(own, wouldBeTold) ? CommitKind.AUTOCOMMIT : null;
    }

    /** Whether a statement at whose end no transaction is open any more has committed it, rather than rolled it back. */
    private static boolean mayCommit(StatementKind kind, ResponseView response) {
        if (kind == StatementKind.SET) {
            return (response.status() & ServerStatus.AUTOCOMMIT) != 0; // SET autocommit=1
        }
        return kind.implicitCommit() || kind.writes();
    }

    private static boolean counts(Writes writes, boolean wouldBeTold) {
        return writes == Writes.SURE || (writes == Writes.MAYBE && !wouldBeTold);
    }
}
