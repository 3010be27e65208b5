package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugins.binlog.TransactionKind;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A statement whose response never came.
 *
 * @param command its number in the session
 * @param when it arrived from the client
 * @param sentNanos the same as monotonic time
 * @param openedNanos monotonic time at which the session's connection to its server was ready
 * @param aliveNanos the same, or later: when the session sent its last commit there that was answered
 * @param thread the session's connection id there
 * @param kind of the statement, see {@link io.understudy.sql.StatementKind#label}
 * @param digest of the transaction's first writing statement; 0 if unknown
 * @param effect what it may have committed
 * @param token what the client has named its transaction; null if it has not
 * @param lastGtid the last GTID that the session was told on this connection; null if there is none
 * @param unreported whether it may have committed before without being told the GTID
 * @param partCommitted whether an earlier statement of the open transaction may have committed a part of it
 * @param unlogged whether it may write without the binary log, or under another name
 * @param forgotten number of OKs that were not recorded when the session began
 */
public record UnansweredStatement(
        long session,
        long command,
        Instant when,
        long sentNanos,
        long openedNanos,
        long aliveNanos,
        long thread,
        String user,
        String kind,
        long digest,
        Effect effect,
        @Nullable String token,
        @Nullable String lastGtid,
        boolean unreported,
        boolean partCommitted,
        boolean unlogged,
        long forgotten) {
    /** What a statement may have committed. */
    public enum Effect {
        /** The open transaction, or one of its own. */
        COMMIT(Set.of(TransactionKind.WRITE)),
        SCHEMA(Set.of(TransactionKind.SCHEMA, TransactionKind.WRITE)),
        XA_END(Set.of(TransactionKind.XA_END, TransactionKind.WRITE)),
        XA_PREPARE(Set.of(TransactionKind.XA_PREPARE)),
        /** Nothing: it is of a transaction whose COMMIT was not sent. */
        NONE(Set.of()),
        /** None or several: if there is one it is not known whether that is all. */
        SEVERAL(Set.of());

        private final Set<TransactionKind> kinds;

        Effect(Set<TransactionKind> kinds) {
            this.kinds = kinds;
        }

        boolean canBe(TransactionKind kind) {
            return kinds.contains(kind);
        }
    }
}
