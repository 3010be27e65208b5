package io.understudy.plugins.gtiddomain.parallelism;

/**
 * A transaction to apply.
 *
 * @param name name in the report: its GTID, or the digest of its longest statement
 * @param duration time that a worker needs for it, without its commit, in any unit
 */
public record AppliedTransaction(String name, long duration) {
    public AppliedTransaction {
        if (duration < 0) {
            throw new IllegalArgumentException("duration: expected 0 or more but found " + duration);
        }
    }
}
