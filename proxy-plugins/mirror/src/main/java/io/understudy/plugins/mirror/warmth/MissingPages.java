package io.understudy.plugins.mirror.warmth;

/**
 * Pages that the primary had in memory and the standby had not.
 *
 * @param count NaN while unknown
 * @param statements that the standby had executed then
 * @param byWrites pages that writes read beside each statement, and so bring into the pool
 */
record MissingPages(double count, double statements, double byWrites) {
    static final MissingPages UNKNOWN = new MissingPages(Double.NaN, 0, 0);
}
