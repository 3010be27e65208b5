package io.understudy.plugins.gtiddomain.parallelism;

/**
 * A transaction to apply.
 *
 * @param name name in the report: its GTID, or the digest of its longest statement
 * @param duration time that a worker needs for it, without its commit, in any unit
 * @param waits whether it begins only when those before it have committed
 * @param distance how many transactions before it the last one is that changed the same row; 0 for none
 */
public record AppliedTransaction(String name, long duration, boolean waits, int distance) {
    public AppliedTransaction {
        if (duration < 0 || distance < 0) {
            throw new IllegalArgumentException(
                    "duration, distance: expected 0 or more but found " + duration + ", " + distance);
        }
    }

    /** A transaction that changes rows of its own. */
    public AppliedTransaction(String name, long duration) {
        this(name, duration, false, 0);
    }
}
