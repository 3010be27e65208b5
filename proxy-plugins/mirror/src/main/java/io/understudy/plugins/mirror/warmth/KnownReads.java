package io.understudy.plugins.mirror.warmth;

/**
 * The page reads of a standby that belong to the load. Others are no measure of what its disk can do: a scan by a
 * backup reads pages in their order.
 *
 * @param ofStatement by a mirrored statement, NaN while unknown
 * @param ofApplier a second
 */
record KnownReads(double ofStatement, double ofApplier) {
    private static final double SHARE = 0.5;

    /** Returns whether at least half of the reads of some seconds are known. */
    boolean explain(double reads, double statements, double seconds) {
        return statements * ofStatement + seconds * ofApplier >= SHARE * reads;
    }
}
