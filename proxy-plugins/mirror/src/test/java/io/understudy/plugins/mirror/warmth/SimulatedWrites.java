package io.understudy.plugins.mirror.warmth;

/** Writes that read a row of the table and two places of a secondary index, with the skew of the table's reads. */
final class SimulatedWrites {
    private final SimulatedReads rows;
    private final SimulatedReads index;
    private final int firstOfIndex;

    SimulatedWrites(int leaves, int leavesOfIndex, double skew, long seed) {
        rows = new SimulatedReads(leaves, skew, seed);
        index = new SimulatedReads(leavesOfIndex, skew, seed + 1);
        firstOfIndex = (leaves / SimulatedReads.LEAVES_AN_INNER_PAGE + 1) * SimulatedReads.LEAVES_AN_INNER_PAGE;
    }

    /** Returns the leaves of the next write. */
    int[] next() {
        return new int[] {rows.next(), firstOfIndex + index.next(), firstOfIndex + index.next()};
    }
}
