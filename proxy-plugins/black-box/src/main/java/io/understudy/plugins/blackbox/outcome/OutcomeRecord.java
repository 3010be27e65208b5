package io.understudy.plugins.blackbox.outcome;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of one statement whose response never came.
 *
 * @param when the statement arrived from the client
 * @param session the proxy's number of the session; numbers begin anew with each start of the proxy
 * @param command number of the command in its session. With {@code when} and {@code session} it names the record
 * @param serverName the server that it was sent to, as {@code server_id 11}
 * @param thread the session's connection id there, which the client knows as CONNECTION_ID()
 * @param digest of the transaction's first writing statement; 0 if unknown
 * @param kind of the statement that was lost, see {@link io.understudy.sql.StatementKind#label}
 * @param token what the client has named its transaction; null if it has not
 * @param gtid committed: of the transaction. Not committed: empty. Unknown: a transaction that may be it, or empty
 * @param reason why the outcome is unknown; empty if it is known
 * @param settled whether the outcome stays as it is; false while it is still being found out
 * @param told whether the client was told the outcome
 */
public record OutcomeRecord(
        Instant when,
        long session,
        long command,
        String serverName,
        long thread,
        String user,
        long digest,
        String kind,
        @Nullable String token,
        Verdict verdict,
        String gtid,
        String reason,
        boolean settled,
        boolean told) {
    /** The outcomes that there are. */
    public enum Verdict {
        COMMITTED("committed"),
        NOT_COMMITTED("not_committed"),
        UNKNOWN("unknown");

        private final String label;

        Verdict(String label) {
            this.label = label;
        }

        /** Returns the name for metrics and views. */
        public String label() {
            return label;
        }
    }

    /** Returns whether both are of the same statement. */
    boolean sameStatement(OutcomeRecord other) {
        return session == other.session && command == other.command && when.equals(other.when);
    }
}
