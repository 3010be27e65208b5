package io.understudy.bench;

/**
 * One case in one round of {@link Warming}.
 *
 * @param before pages read from disk between the standby's restart and its promotion
 * @param queries number of queries since the promotion, at each point
 * @param reads pages read from disk since the promotion, at each point
 * @param seconds time of all queries since the promotion
 */
record WarmingRun(double mirrored, double dropped, double before, double[] queries, double[] reads, double seconds) {
    /** Returns the pages read during the first {@code count} queries. */
    double after(int count) {
        for (int i = 0; i < queries.length; i++) {
            if (queries[i] >= count) {
                return reads[i];
            }
        }
        return reads[reads.length - 1];
    }
}
