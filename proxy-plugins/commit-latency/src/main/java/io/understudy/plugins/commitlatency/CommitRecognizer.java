package io.understudy.plugins.commitlatency;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.Writes;
import io.understudy.protocol.ServerStatus;
import io.understudy.sql.StatementKind;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which responses of a session were commits. It advances with the responses, not the commands, so that
 * pipelined commands are judged by the transaction state they met. Used on the session's event loop only.
 *
 * <p>A GTID in the response decides: both products send one exactly with statements that logged a transaction. Once a
 * session has received GTIDs, their absence decides the cases that the text leaves open, unless the server may have
 * left one out. Without GTIDs, affected rows, statement kinds and the transaction's boundaries decide; the writes of a
 * procedure or of a statement prepared in SQL are then inferred from its affected rows and the transaction's end.
 *
 * <p>A schema change that fails has nevertheless committed the open transaction, unless an earlier check refused it:
 * the parser or one of the rules before the implicit commit. The response reports that neither by its error nor by a
 * GTID, so the error number decides.
 */
final class CommitRecognizer {
    private static final int ER_LOCK_DEADLOCK = 1213;

    /**
     * Errors raised before the implicit commit, in both servers' order of checks: 1064 and 1149 syntax, 1192 locked
     * tables or an active transaction, 1290 read-only server, 1399 XA transaction open, 1792 read-only transaction.
     */
    private static final Set<Integer> BEFORE_IMPLICIT_COMMIT = Set.of(1064, 1149, 1192, 1290, 1399, 1792);

    private final boolean foundRows;
    private final boolean okEndsResults;

    private boolean inTransaction;
    private Writes writes = Writes.NONE;
    private Writes prepared = Writes.NONE;
    private boolean gtidsSeen;

    /**
     * @param foundRows whether {@code CLIENT_FOUND_ROWS} was negotiated
     * @param okEndsResults whether {@code CLIENT_DEPRECATE_EOF} was negotiated: a result set then ends with an
     *     OK_Packet that can carry a GTID
     */
    CommitRecognizer(boolean foundRows, boolean okEndsResults) {
        this.foundRows = foundRows;
        this.okEndsResults = okEndsResults;
    }

    /** Called when the session was reset: its variables have their defaults and an open transaction was rolled back. */
    void reset() {
        inTransaction = false;
        writes = Writes.NONE;
        gtidsSeen = false;
    }

    /** Returns whether a transaction is open, by the responses so far. */
    boolean inTransaction() {
        return inTransaction;
    }

    /** Returns whether the open transaction has written, or may have. */
    boolean wrote() {
        return writes != Writes.NONE;
    }

    /**
     * Called when a response is complete.
     *
     * @param temporaryTables whether the session may have temporary tables
     * @return the kind of commit, or null if it was none
     */
    @Nullable
    CommitKind recognize(CommandView command, ResponseView response, boolean temporaryTables) {
        if (!response.ok()) {
            return failed(command, response.errorCode());
        }
        if (!command.isStatement()) {
            settle(response.inTransaction(), Writes.NONE, false);
            return null;
        }
        boolean after = response.inTransaction();
        Writes current = Writes.of(command, response, foundRows, temporaryTables);
        String gtid = response.gtid();
        gtidsSeen |= gtid != null;
        StatementKind kind = CommandView.runs(command);
        CommitKind commit;
        if (kind == StatementKind.ROLLBACK || kind == StatementKind.XA_ROLLBACK || kind == StatementKind.XA_PREPARE) {
            commit = null; // may be logged with a GTID, but nothing was committed
        } else if (gtid != null) {
            commit = withGtid(kind, after);
        } else {
            boolean gtidExpected =
                    gtidsSeen && response.omittedGtid() == null && (response.rows() == 0 || okEndsResults);
            commit = inferred(kind, current, response, after, gtidExpected);
        }
        if (kind == StatementKind.XA_PREPARE) {
            prepared = writes;
        }
        boolean ended = commit != null
                || kind == StatementKind.ROLLBACK
                || kind == StatementKind.COMMIT
                || kind == StatementKind.BEGIN;
        settle(after, current, ended);
        return commit;
    }

    private @Nullable CommitKind failed(CommandView command, int error) {
        if (error == ER_LOCK_DEADLOCK) {
            writes = Writes.NONE; // the server has rolled the whole transaction back
            return null;
        }
        if (!command.isStatement()
                || !inTransaction
                || !Writes.changesSchema(CommandView.runs(command))
                || BEFORE_IMPLICIT_COMMIT.contains(error)) {
            return null;
        }
        if (Writes.changesTemporaryTablesOnly(command.summary())) {
            return null;
        }
        Writes committed = writes;
        writes = Writes.NONE;
        inTransaction = false;
        return counts(committed, false) ? CommitKind.COMMIT : null;
    }

    private void settle(boolean after, Writes current, boolean ended) {
        if (!after || ended) {
            writes = Writes.NONE;
        } else {
            writes = writes.and(current);
        }
        inTransaction = after;
    }

    private CommitKind withGtid(StatementKind kind, boolean after) {
        if (kind == StatementKind.COMMIT || kind == StatementKind.XA_COMMIT) {
            return CommitKind.COMMIT;
        }
        if (kind.isDml()) {
            // If the transaction continues, the statement wrote to a non-transactional engine, which logs at once.
            return inTransaction && !after ? CommitKind.COMMIT : CommitKind.AUTOCOMMIT;
        }
        if (Writes.changesSchema(kind) || kind == StatementKind.ADMIN || kind == StatementKind.INSTALL) {
            return CommitKind.DDL;
        }
        return inTransaction ? CommitKind.COMMIT : CommitKind.AUTOCOMMIT;
    }

    private @Nullable CommitKind inferred(
            StatementKind kind, Writes current, ResponseView response, boolean after, boolean gtidExpected) {
        if (kind == StatementKind.COMMIT) {
            return inTransaction && counts(writes, gtidExpected) ? CommitKind.COMMIT : null;
        }
        if (kind == StatementKind.XA_COMMIT) {
            Writes all = writes.and(prepared);
            prepared = Writes.NONE;
            return counts(all, gtidExpected) ? CommitKind.COMMIT : null;
        }
        if (Writes.changesSchema(kind)) {
            return current == Writes.NONE ? null : CommitKind.DDL;
        }
        if (inTransaction) {
            boolean ends = kind == StatementKind.BEGIN || !after;
            return ends && mayCommit(kind, response) && counts(writes.and(current), gtidExpected)
                    ? CommitKind.COMMIT
                    : null;
        }
        boolean changed = response.affectedRows() > 0 || kind.isDml();
        return !after && changed && counts(current, gtidExpected) ? CommitKind.AUTOCOMMIT : null;
    }

    /** Returns whether a statement after which no transaction is open has committed it and not rolled it back. */
    private static boolean mayCommit(StatementKind kind, ResponseView response) {
        if (kind == StatementKind.SET) {
            return (response.status() & ServerStatus.AUTOCOMMIT) != 0; // SET autocommit=1
        }
        return kind.implicitCommit() || kind.writes();
    }

    private static boolean counts(Writes writes, boolean gtidExpected) {
        return writes == Writes.SURE || (writes == Writes.MAYBE && !gtidExpected);
    }
}
