package io.understudy.plugins.gtiddomain.parallelism;

/**
 * A transaction to apply.
 *
 * @param name what a report calls it: its GTID, or the digest of its longest statement
 * @param duration time that a worker needs for it, without its commit, in whatever unit
 */
public record AppliedTransaction(String name, long duration) {
    public AppliedTransaction {
        if (duration < 0) {
            throw new IllegalArgumentException("duration: expected 0 or more but found " + duration);
        }
    }
}
