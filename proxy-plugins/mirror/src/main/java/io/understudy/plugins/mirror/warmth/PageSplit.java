package io.understudy.plugins.mirror.warmth;

/**
 * The primary's page reads of some seconds, divided between its queries and its writes. All per query of the primary.
 *
 * <p>The primary's counters have both in one number. The standby tells them apart: probes count its queries' reads, and
 * the rest are its applier's, which makes the same changes. Both may be colder than on the primary. As long as the two
 * kinds of pages are colder by the same factor, the primary's reads divide as those of the standby do. A standby that
 * gets a part of the queries only has their pages for less time than the applier's. The longer a pool keeps pages, the
 * fewer are read: by a power of the time that is between 0 and 1 for all loads, and taken to be 1/4.
 *
 * @param queries reads of a query
 * @param low the least that the reads of a query may be: the power is 1, or all that the standby reads more is read by
 *     its queries
 * @param high the most: the power is 0, or all that the standby reads more is read by its applier
 * @param applier reads of the standby's applier
 */
record PageSplit(double queries, double low, double high, double applier) {
    private static final double POWER = 0.25;

    /**
     * Divides the reads.
     *
     * @param primary page reads of the primary
     * @param applier page reads of the standby's applier
     * @param cold page reads of a query on the standby
     * @param reached share of the statements that reached the standby while its pool took up what it holds
     */
    static PageSplit of(double primary, double applier, double cold, double reached) {
        double proportional = divided(primary, cold, applier);
        return new PageSplit(
                divided(primary, cold * Math.pow(reached, POWER), applier),
                Math.min(divided(primary, cold * reached, applier), Math.max(0, primary - applier)),
                Math.max(proportional, Math.min(cold, primary)),
                applier);
    }

    private static double divided(double primary, double queries, double applier) {
        double all = queries + applier;
        return all > 0 ? primary * queries / all : 0;
    }
}
