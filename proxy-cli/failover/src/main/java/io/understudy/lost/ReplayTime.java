package io.understudy.lost;

/** About how long a server takes to apply what it lacks from a black box. */
public final class ReplayTime {
    /** Measured between two servers of one machine, with binary log; a slower disk or a longer way takes longer. */
    private static final long TRANSACTIONS_A_SECOND = 1_000;

    private ReplayTime() {}

    /** Returns whole seconds, rounded up. */
    public static long seconds(long transactions) {
        return (transactions + TRANSACTIONS_A_SECOND - 1) / TRANSACTIONS_A_SECOND;
    }
}
