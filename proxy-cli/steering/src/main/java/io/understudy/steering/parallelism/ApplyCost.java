package io.understudy.steering.parallelism;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;

/**
 * Model of the time that a replica's worker needs for a transaction, in microseconds. The binary log contains how long
 * a schema change took on the primary (in whole seconds) and how many bytes the rows of a write have; the rest is
 * assumption, so the figures are parameters.
 *
 * @param perTransaction time for the smallest transaction
 * @param bytesPerMicro rows applied per microsecond
 * @param commit one commit, however many transactions share it
 * @param retry what a transaction costs more that is rolled back and repeated, beside its second run
 */
public record ApplyCost(long perTransaction, long bytesPerMicro, long commit, long retry) {
    /** 100 µs for the smallest transaction, 20 MB/s of rows, 200 µs for a commit, 300 µs for a retry. */
    public static final ApplyCost DEFAULT = new ApplyCost(100, 20, 200, 300);

    private static final long MICROS = 1_000_000L;

    public ApplyCost {
        if (perTransaction < 0 || bytesPerMicro < 1 || commit < 0 || retry < 0) {
            throw new IllegalArgumentException("ApplyCost(" + perTransaction + ", " + bytesPerMicro + ", " + commit
                    + ", " + retry + "): expected at least 0, 1, 0 and 0");
        }
    }

    /** Returns the microseconds without the commit. */
    public long of(BinlogTransaction transaction, AlterPhase phase) {
        if (phase != AlterPhase.WHOLE) {
            // A replica works on it between its two phases, beside other transactions.
            return perTransaction;
        }
        boolean byStatement = transaction.kind() == TransactionKind.SCHEMA || transaction.statements();
        // One logged second may be a millisecond across a tick of the clock.
        long asOnPrimary = byStatement && transaction.seconds() > 1 ? transaction.seconds() * MICROS : 0;
        return Math.max(asOnPrimary, perTransaction + transaction.bytes() / bytesPerMicro);
    }
}
