package io.understudy.steering.parallelism;

/**
 * A transaction to apply.
 *
 * @param name name in the report: its GTID, or the digest of its longest statement
 * @param domain domain whose order of commits it keeps
 * @param group number of its group: adjacent transactions of a domain with the same number may run at the same time
 * @param duration time that a worker needs for it, without its commit, in any unit
 * @param waits whether it begins only when those before it have committed
 * @param distance how many transactions before it the last one is that changed the same row; 0 for none
 */
public record AppliedTransaction(String name, long domain, long group, long duration, boolean waits, int distance) {
    public AppliedTransaction {
        if (duration < 0 || distance < 0) {
            throw new IllegalArgumentException(
                    "duration, distance: expected 0 or more but found " + duration + ", " + distance);
        }
    }

    /** Returns it in another domain. */
    AppliedTransaction in(long other) {
        return new AppliedTransaction(name, other, group, duration, waits, distance);
    }

    /** Returns it as one that waits for those before it. */
    public AppliedTransaction waiting() {
        return new AppliedTransaction(name, domain, group, duration, true, 0);
    }
}
