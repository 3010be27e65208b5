package io.understudy.steering.parallelism;

/**
 * Properties of a transaction that decide how a MariaDB replica applies it in parallel.
 *
 * @param parallel whether it may run beside the transactions before it; false with {@code skip_parallel_replication}
 * @param waited whether it waited for a row lock on the primary, so that a replica in the mode optimistic lets it wait
 * @param alter how a schema change is logged
 * @param second time of its first event, in seconds since 1970
 * @param rows the rows that it changes
 */
public record ApplyHints(boolean parallel, boolean waited, AlterPhase alter, long second, RowImages rows) {
    /** The hints for a transaction about which nothing is known. */
    public static final ApplyHints NONE = new ApplyHints(true, false, AlterPhase.WHOLE, 0, RowImages.UNKNOWN);

    /** Returns it without the hashes of its rows; whether they were complete stays known. */
    ApplyHints withoutRows() {
        RowImages none = new RowImages(new long[0], new long[0], rows.complete());
        return new ApplyHints(parallel, waited, alter, second, none);
    }
}
