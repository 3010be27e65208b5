package io.understudy.plugins.blackbox.history;

import org.jspecify.annotations.Nullable;

/**
 * A commit whose OK was sent to the client.
 *
 * @param gtids as in the OK_Packet: one on MariaDB, on MySQL every one that the command committed
 * @param session the proxy's number of the session
 * @param thread the session's connection id on the primary
 * @param digest of the transaction's first writing statement; 0 if unknown
 * @param sentNanos monotonic time at which the command arrived from the client
 * @param nanos monotonic time of the OK's last byte
 * @param commits whether the command can commit: then the GTIDs that it reported are its own. Another one's OK may
 *     repeat what the session committed before
 * @param supposed null if the OK has reported the GTIDs. Otherwise the server may have left out this one, and this is
 *     what speaks for a commit
 */
public record AnsweredCommit(
        String gtids,
        long session,
        long thread,
        String user,
        @Nullable String schema,
        long digest,
        long sentNanos,
        long nanos,
        boolean commits,
        @Nullable CommitEvidence supposed) {

    /** What speaks for it that a command was a commit whose response has left out its GTID. In order of strength. */
    public enum CommitEvidence {
        /** The statement may write, as a CALL may. */
        MAY_WRITE,
        /** Rows were counted, but perhaps only matched, or those of a temporary table. */
        COUNTED,
        /** It has written. */
        WROTE
    }
}
