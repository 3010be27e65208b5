package io.understudy.plugins.mirror.warmth;

/**
 * Page reads of a query on a standby, on average; NaN while unknown.
 *
 * @param load of all queries that rules match
 * @param mirrored of those that are mirrored: rules with unequal samples mirror others than the load has
 */
public record PagesPerQuery(double load, double mirrored) {
    static final PagesPerQuery UNKNOWN = new PagesPerQuery(Double.NaN, Double.NaN);

    boolean known() {
        return !Double.isNaN(load);
    }
}
