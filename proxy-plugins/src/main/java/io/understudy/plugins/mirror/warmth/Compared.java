package io.understudy.plugins.mirror.warmth;

/**
 * What the counters of a standby and of the primary say when they are compared.
 *
 * @param floor the primary's page reads per query without those of its writes
 * @param missing pages by which the primary has more in memory than the standby, or NaN
 * @param executed statements that the standby had executed for the mirror then
 */
public record Compared(Estimate floor, double missing, long executed) {
    static final Compared UNKNOWN = new Compared(Estimate.UNKNOWN, Double.NaN, 0);
}
