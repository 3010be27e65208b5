package io.understudy.plugins.mirror.warmth;

/**
 * The share of the relayed queries that rules mirror, if only in part, and the share of the primary's queries that this
 * proxy relays. The primary's page reads a query are those of all its queries, probes measure mirrored ones: the two
 * compare as far as they are the same. What the rules leave out differs from what they mirror; what does not pass this
 * proxy most often passes another one and is the same load. Half of it is from the last 30 seconds. Not thread-safe.
 */
final class Coverage {
    private static final double HALF_SECONDS = 30;
    /** From this share on, what is missing are queries that read no table. */
    private static final double NEARLY_ALL = 0.9;
    /** Below this share nothing is known of the rest. */
    private static final double PART = 0.7;
    /** Page reads of a query that is not mirrored, at most, against those of all queries. */
    private static final double MOST = 2;
    /** Below this share of the primary's queries its page reads are those of others. */
    private static final double LITTLE = 0.05;

    private double covered;
    private double sampled;
    private double relayed;
    /** Queries that this proxy relayed while the primary's own, {@link #queries}, were counted. */
    private double relayedThen;

    private double queries;

    /**
     * Takes some seconds in.
     *
     * @param statements queries of the load for which the mirrored ones stand
     * @param mirrored of which so many were mirrored
     * @param passed queries that this proxy relayed
     * @param perSecond queries of the primary, NaN while unknown
     */
    void add(double statements, double mirrored, double passed, double perSecond, double seconds) {
        double kept = Math.pow(0.5, seconds / HALF_SECONDS);
        covered = kept * covered + statements;
        sampled = kept * sampled + mirrored;
        relayed = kept * relayed + passed;
        if (!Double.isNaN(perSecond)) {
            relayedThen = kept * relayedThen + passed;
            queries = kept * queries + perSecond * seconds;
        }
    }

    /** Returns the share of the relayed queries that rules mirror, or NaN. */
    double share() {
        return sampled > 0 && relayed > 0 ? Math.min(1, covered / relayed) : Double.NaN;
    }

    /** Returns the share of the primary's queries that this proxy relays, or NaN. */
    double relayedShare() {
        return relayedThen > 0 && queries > 0 ? Math.min(1, relayedThen / queries) : Double.NaN;
    }

    /** Returns whether so few of the primary's queries pass this proxy that its page reads say nothing of them. */
    boolean isLittle() {
        return relayedShare() < LITTLE;
    }

    /** Returns what the share is at most, for few mirrored statements stand for many. */
    private double most() {
        double share = share();
        return Double.isNaN(share) ? 1 : Math.min(1, share * (1 + 2 / Math.sqrt(sampled)));
    }

    /** Returns whether a part of the relayed queries is not mirrored about which nothing is known. */
    boolean isPart() {
        return most() < PART;
    }

    /** Returns the primary's page reads a query, in the interval what those of the mirrored ones may be. */
    Estimate of(Estimate floor) {
        double most = most();
        if (!floor.known() || most >= NEARLY_ALL) {
            return floor;
        }
        double low = floor.low() * Math.max(0, 1 - MOST * (1 - most)) / most;
        return new Estimate(floor.mean(), low, floor.high() / most, floor.samples());
    }
}
