package io.understudy.plugins.mirror.warmth;

/**
 * The counters of a standby and of the primary, compared.
 *
 * @param floor the primary's page reads per query without those of its writes
 * @param missing pages by which the primary has more in memory than the standby, or NaN; also if the standby's pool no
 *     longer fills
 * @param executed statements that the standby had executed for the mirror then
 * @param applier page reads of the standby's applier per query of the primary; 0 while unknown
 */
public record Compared(Estimate floor, double missing, long executed, double applier) {
    static final Compared UNKNOWN = new Compared(Estimate.UNKNOWN, Double.NaN, 0, 0);
}
