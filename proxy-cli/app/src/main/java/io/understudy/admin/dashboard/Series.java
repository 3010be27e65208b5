package io.understudy.admin.dashboard;

import io.micrometer.core.instrument.Meter;
import io.understudy.metrics.CoreMetrics;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The figures kept for a day. The list is fixed and has no labels, so that the memory of {@link SampleHistory} is fixed
 * too; of several standbys it has the worst.
 */
enum Series {
    SESSIONS("sessions", new Gauge("understudy.sessions", Pick.SUM), Fold.MAX),
    COMMANDS("commandsPerSecond", new Rate("understudy.commands", all(), "understudy.sessions"), Fold.MEAN),
    COMMAND_P50("commandP50", new Percentile("understudy_command_seconds", 0.5), Fold.MEAN),
    COMMAND_P99("commandP99", new Percentile("understudy_command_seconds", 0.99), Fold.MAX),
    OVERHEAD_P99("overheadP99", new Percentile("understudy_proxy_overhead_seconds", 0.99), Fold.MAX),
    BYTES("bytesPerSecond", new Rate("understudy.bytes", all(), "understudy.sessions"), Fold.MEAN),
    REFUSED(
            "refusedPerSecond",
            new Rate("understudy.connections", isOneOf("outcome", CoreMetrics.NOT_SERVED), "understudy.sessions"),
            Fold.MEAN),
    PRIMARY_UP("primaryUp", new Gauge("understudy.primary.up", Pick.MIN), Fold.MIN),
    STANDBY_UP("standbyUp", new Gauge("understudy.standby.up", Pick.MIN), Fold.MIN),
    LAG("standbyLag", new Gauge("understudy.standby.lag.seconds", Pick.MAX), Fold.MAX),
    COLD_READS(
            "coldReadsPerSecond", new Rate("understudy.standby.cold.reads", all(), "understudy.standby.up"), Fold.MEAN),
    WARMTH("warmth", new Gauge("understudy.standby.warmth", Pick.MIN), Fold.MIN),
    EXCESS("excessPages", new Gauge("understudy.standby.excess.pages", has("bound", "estimate"), Pick.MAX), Fold.MAX),
    MIRRORED("mirroredPerSecond", new Rate("understudy.mirror.statements", all(), Names.MIRROR), Fold.MEAN),
    MIRROR_FAILED(
            "mirrorFailedPerSecond",
            new Rate("understudy.mirror.statements", not(has("outcome", "ok")), Names.MIRROR),
            Fold.MEAN),
    MIRROR_DROPPED(
            "mirrorDroppedPerSecond",
            new Rate("understudy.mirror.dropped", not(has("reason", "rate_limited")), Names.MIRROR),
            Fold.MEAN),
    MIRROR_QUEUE("mirrorQueue", new Gauge(Names.MIRROR, Pick.SUM), Fold.MAX),
    MIRROR_P99("mirrorP99", new Percentile("understudy_mirror_seconds", 0.99), Fold.MAX),
    COMMITS("commitsPerSecond", new HistogramRate("understudy_commit_seconds", Names.COMMITS), Fold.MEAN),
    COMMIT_P50("commitP50", new Percentile("understudy_commit_seconds", 0.5), Fold.MEAN),
    COMMIT_P99("commitP99", new Percentile("understudy_commit_seconds", 0.99), Fold.MAX),
    ACK_P50("ackP50", new Percentile("understudy_commit_semisync_wait_seconds", 0.5), Fold.MEAN),
    ACK_P99("ackP99", new Percentile("understudy_commit_semisync_wait_seconds", 0.99), Fold.MAX),
    UNACKNOWLEDGED("unacknowledgedPerSecond", new Rate(Names.COMMITS, all(), Names.COMMITS), Fold.MEAN),
    CONFLICTS("conflictsPerSecond", new Rate(Names.CONFLICTS, not(has("kind", "pinned")), Names.CONFLICTS), Fold.MEAN),
    DOMAIN_LAG("domainLag", new Gauge("understudy.domain.lag.seconds", Pick.MAX), Fold.MAX);

    /**
     * Combines several samples into one where a longer range has fewer points. Peaks of harmful values stay visible.
     */
    enum Fold {
        MEAN,
        MIN,
        MAX
    }

    /** Combines several meters of a name into one figure; unknown ones are left out. */
    enum Pick {
        SUM,
        MIN,
        MAX
    }

    /** The meter or view that a figure is read from. */
    sealed interface Source {}

    record Gauge(String meter, Predicate<Meter> which, Pick pick) implements Source {
        Gauge(String meter, Pick pick) {
            this(meter, all(), pick);
        }
    }

    /**
     * A counter's increase per second.
     *
     * @param presence a meter that exists as soon as {@code meter} may count: without it the rate is unknown, with it a
     *     counter that does not exist yet is 0
     */
    record Rate(String meter, Predicate<Meter> which, String presence) implements Source {}

    /** The number of values of a histogram per second. */
    record HistogramRate(String histogram, String presence) implements Source {}

    /** A percentile, in seconds, of the values since the last sample; unknown if there were none. */
    record Percentile(String histogram, double share) implements Source {}

    private static final class Names {
        static final String MIRROR = "understudy.mirror.queue.statements";
        static final String COMMITS = "understudy.commits.unacknowledged";
        static final String CONFLICTS = "understudy.gtid.domain.conflicts";
    }

    private final String key;
    private final Source source;
    private final Fold fold;

    Series(String key, Source source, Fold fold) {
        this.key = key;
        this.source = source;
        this.fold = fold;
    }

    String key() {
        return key;
    }

    Source source() {
        return source;
    }

    Fold fold() {
        return fold;
    }

    private static Predicate<Meter> all() {
        return meter -> true;
    }

    private static Predicate<Meter> has(String tag, String value) {
        return meter -> value.equals(meter.getId().getTag(tag));
    }

    private static Predicate<Meter> not(Predicate<Meter> other) {
        return other.negate();
    }

    private static Predicate<Meter> isOneOf(String tag, Set<String> values) {
        return meter -> {
            String value = meter.getId().getTag(tag);
            return value != null && values.contains(value);
        };
    }
}
