package io.understudy.plugins.mirror.warmth;

import io.understudy.plugin.StandbyState;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Measures how warm one standby is. Probes are offered by event loops to a bounded queue; {@link #update}, called by
 * one thread every second, works them off and publishes the result; everything else may be called by any thread.
 */
public final class StandbyWarmth {
    private static final int QUEUE = 1024;
    /** Probes are this much denser while the interval is wide. */
    private static final int DENSE = 4;

    private static final double ROUGH_SHARE = 0.25;

    private final MpscArrayQueue<Probed> ended = new MpscArrayQueue<>(QUEUE);
    private final ProbePlan plan;
    private final WarmingProgress progress = new WarmingProgress();
    private final ProbeFigures figures = new ProbeFigures();
    private final Coverage coverage = new Coverage();
    private long relayed;
    private volatile Found published;
    private volatile boolean restarted;

    private ColdReference reference = ColdReference.NONE;
    /** Until when it was the primary, if it has been since its start. */
    private long primaryUntilNanos;

    private boolean wasPrimary;

    /**
     * @param seed of the choice of probes
     * @param probes a second, until the first {@link #update}
     */
    public StandbyWarmth(long seed, int probes) {
        plan = new ProbePlan(seed, probes);
        WarmthSettings none = new WarmthSettings(0, null, probes);
        published = found(WarmthState.NO_PROBES, new Floor(), Compared.UNKNOWN, none, 0);
    }

    /**
     * What is known at one moment.
     *
     * @param cold page reads of a statement on the standby
     * @param floor page reads of a query on the primary
     * @param excess the difference
     * @param warmth 0 as cold as at the reference, 1 as warm as the primary; NaN while unknown
     * @param view makes the figures of {@code /api/standbys}
     * @param where the coldest rules, tables and digests
     */
    private record Found(
            Estimate cold,
            Estimate floor,
            Estimate excess,
            double warmth,
            Supplier<Map<String, @Nullable Object>> view,
            Map<String, Object> where) {}

    /** Returns whether the next SELECT is to be a probe. Thread-safe. */
    public boolean probeNext() {
        return figures.probing() && plan.take();
    }

    /** Returns the share of SELECTs that are probes. */
    public double probedShare() {
        return plan.share();
    }

    /** Takes the end of a probe. Returns false if there are too many at once. Thread-safe; never blocks. */
    public boolean ended(Probed probe) {
        return ended.offer(probe);
    }

    /**
     * Takes in what rules have mirrored in some seconds. Called by the thread of {@link #update}.
     *
     * @param statements queries of the load for which the mirrored ones stand
     * @param mirrored of which so many were mirrored
     */
    public void covered(double statements, double mirrored, Floor floor, double seconds) {
        long before = relayed;
        relayed = floor.relayed();
        coverage.add(statements, mirrored, (double) (relayed - before), floor.selectsPerSecond(), seconds);
    }

    /**
     * Works off the probes.
     *
     * @param primary whether it is the primary at present
     * @param compared what both servers' counters say, by {@link WritesApart}
     * @param executed statements that the standby has executed for the mirror in all
     */
    public void update(
            StandbyState state,
            boolean primary,
            Floor floor,
            Compared compared,
            long executed,
            WarmthSettings settings,
            long nowNanos) {
        figures.at(nowNanos, state.coldReads());
        double queries = floor.selectsPerSecond();
        restarted = progress.update(
                state,
                executed,
                figures.coldPages().mirrored(),
                Double.isNaN(queries) ? 0 : queries * compared.applier(),
                nowNanos,
                figures);
        if (restarted) {
            figures.clear();
            ended.clear();
            reference = ColdReference.RESTARTED;
            wasPrimary = false;
        }
        if (primary) {
            if (!wasPrimary || nowNanos - primaryUntilNanos > ProbeFigures.STALE_NANOS) {
                reference = ColdReference.NONE;
            }
            figures.clear(); // probes of before say nothing of what it reads for clients
            wasPrimary = true;
            primaryUntilNanos = nowNanos;
        }
        Probed probe;
        while ((probe = ended.poll()) != null) {
            figures.add(probe, progress.position());
        }
        figures.publish();
        WarmthState nothing = primary ? WarmthState.IS_PRIMARY : state.reachable() ? null : WarmthState.UNREACHABLE;
        Found now = found(nothing, floor, compared, settings, nowNanos);
        published = now;
        plan.adapt(perSecond(settings, now.cold()), nowNanos);
    }

    private static double perSecond(WarmthSettings settings, Estimate cold) {
        double margin = (cold.high() - cold.low()) / 2;
        boolean rough = !cold.known() || margin > Math.max(settings.target() / 2, ROUGH_SHARE * cold.mean());
        return rough ? settings.probes() * DENSE : settings.probes();
    }

    /** A former primary has what the load reads: it served all of it until some minutes ago. */
    private WarmthState state(Estimate pages, Estimate own, long nowNanos) {
        if (pages.known()) {
            if (!own.known()) {
                return WarmthState.FLOOR_UNKNOWN;
            }
            if (coverage.isLittle()) {
                return WarmthState.LITTLE_RELAYED;
            }
            return coverage.isPart()
                    ? WarmthState.PARTLY_MIRRORED
                    : pages.bounded() ? WarmthState.KNOWN : WarmthState.TIMEOUTS;
        }
        if (figures.timedOutShare() > 0) {
            return WarmthState.TIMEOUTS;
        }
        if (wasPrimary && nowNanos - primaryUntilNanos < ProbeFigures.STALE_NANOS) {
            return WarmthState.WAS_PRIMARY;
        }
        return figures.stale() ? WarmthState.NO_RECENT_PROBES : WarmthState.NO_PROBES;
    }

    /** @param nothing why nothing can be said, or null */
    private Found found(
            @Nullable WarmthState nothing, Floor floor, Compared compared, WarmthSettings settings, long nowNanos) {
        Estimate pages = nothing != null || figures.stale() ? Estimate.UNKNOWN : figures.present();
        // Pages of the whole server, divided, have the applier's in them.
        Estimate apart = nothing != null || figures.countersMissing() ? Estimate.UNKNOWN : compared.floor();
        Estimate own = coverage.of(floor.estimate(apart, nowNanos));
        Estimate difference = pages.minus(coverage.isLittle() ? Estimate.UNKNOWN : own);
        Estimate excess = coverage.isPart() ? difference.withoutMean() : difference;
        WarmthState state;
        double score = Double.NaN;
        if (nothing != null) {
            state = nothing;
        } else {
            reference = reference.with(excess, settings.target());
            score = reference.warmth(excess, settings.target());
            boolean uncertain = excess.known() && excess.bounded() && Double.isNaN(score);
            state = uncertain ? WarmthState.UNCERTAIN : state(pages, own, nowNanos);
        }
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("state", state.label());
        if (state != WarmthState.KNOWN) {
            view.put("why", state.why());
        }
        view.put("warmth", Estimate.rounded(score));
        view.put("excessPages", excess.view());
        view.put("coldPages", pages.view());
        view.put("floorPages", own.view("statements"));
        view.put("reference", Estimate.rounded(reference.excess()));
        view.put("referenceFrom", reference.from());
        view.put("method", nothing == null ? figures.method() : "none");
        view.put("probedShare", rounded(nothing == null ? figures.share() : Double.NaN, 1e6));
        view.put("timedOutShare", rounded(nothing == null ? figures.timedOutShare() : 0, 1e6));
        view.put("coveredShare", rounded(coverage.share(), 1e3));
        view.put("relayedShare", rounded(coverage.relayedShare(), 1e3));
        double age = figures.lastProbeSeconds();
        view.put("lastProbeSeconds", Double.isNaN(age) ? null : Math.round(age));
        view.put("mirroredSinceRestart", progress.sinceStart());
        Supplier<Forecast> forecast = excess.known() && excess.bounded()
                ? forecast(excess, own, floor, compared, settings, nowNanos)
                : () -> Forecast.UNKNOWN;
        return new Found(pages, own, excess, score, () -> with(view, forecast.get()), figures.where());
    }

    private static Map<String, @Nullable Object> with(Map<String, @Nullable Object> view, Forecast forecast) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(view);
        all.put("forecast", forecast.view());
        return all;
    }

    private static @Nullable Double rounded(double value, double parts) {
        return Double.isNaN(value) ? null : Math.round(value * parts) / parts;
    }

    /** Returns the forecast of what is known now, which is worked out when somebody asks. */
    private Supplier<Forecast> forecast(
            Estimate excess, Estimate own, Floor floor, Compared compared, WarmthSettings settings, long nowNanos) {
        Integer configured = settings.standbyIops();
        long comparedAt = progress.sinceStart(compared.executed());
        double beside = own.mean() + compared.applier();
        double since = (double) (progress.sinceStart() - comparedAt);
        // A comparison from before a restart is of another pool.
        double missing =
                comparedAt < 0 ? Double.NaN : compared.missing() - since * (Math.max(0, excess.mean()) + beside);
        Forecast.Situation situation = new Forecast.Situation(
                excess,
                figures.position(),
                progress.position(),
                missing,
                beside,
                floor.allReadsPerQuery(nowNanos),
                floor.selectsPerSecond(),
                progress.mirroredPerSecond(),
                settings.target(),
                configured == null ? progress.mostReads() : configured,
                configured != null);
        return () -> Forecast.of(situation);
    }

    /** Returns whether the last update found the standby restarted. */
    public boolean restarted() {
        return restarted;
    }

    /** Returns the page reads of a query there, unknown before there are probes. */
    public PagesPerQuery coldPages() {
        return figures.coldPages();
    }

    /** Returns the excess, unknown before there are probes and a floor. */
    public Estimate excess() {
        return published.excess();
    }

    /**
     * Has the estimate of one table begin anew, because its pages are others now. Thread-safe.
     *
     * @param table as {@code schema.table}, in any case
     */
    public void forgetTable(String table) {
        figures.forgetTable(table);
    }

    /** Returns the page reads of a statement that reads the table; unknown without recent probes. Thread-safe. */
    public Estimate ofTable(String table) {
        return figures.ofTable(table);
    }

    /** Returns the primary's page reads of a statement. */
    public Estimate floor() {
        return published.floor();
    }

    /** Returns 0 to 1, or NaN while unknown. */
    public double warmth() {
        return published.warmth();
    }

    /** Returns the standby's page reads a second, or NaN. */
    public double readsPerSecond() {
        return progress.readsPerSecond();
    }

    /** Returns the figures of {@code /api/standbys}. */
    public Map<String, @Nullable Object> view() {
        return published.view().get();
    }

    /** Returns where it is cold, for {@code /api/mirror}. */
    public Map<String, Object> where() {
        return published.where();
    }
}
