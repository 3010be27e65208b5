package io.understudy.plugins.mirror.warmth;

import io.understudy.plugin.StandbyState;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Measures how warm one standby is. Probes are offered by event loops to a bounded queue; {@link #update}, called by
 * one thread every second, works them off and publishes the result; everything else may be called by any thread.
 */
public final class StandbyWarmth {
    private static final int QUEUE = 1024;
    private static final int RULES = 200;
    private static final int TABLES = 500;
    private static final int DIGESTS = 1000;
    private static final int SHOWN = 20;
    /** Consecutive probes without counters after which the standby counts as one that has none. */
    private static final int GIVEN_UP = 10;

    private static final long GIVEN_UP_NANOS = 600_000_000_000L;
    private static final long STALE_NANOS = 300_000_000_000L;
    /** The reference is the highest excess with so many probes: with fewer it would be noise. */
    private static final int REFERENCE_PROBES = 30;
    /** Probes are this much denser while the interval is wide. */
    private static final int DENSE = 4;

    private static final double ROUGH_SHARE = 0.25;
    private static final int FEWEST_STATEMENTS = 20;
    /** The state is up to some seconds old, and the standby's clock may be set back a little. */
    private static final long RESTART_NANOS = 20_000_000_000L;

    private static final double RATE_WEIGHT = 0.2;

    private final MpscArrayQueue<Probed> ended = new MpscArrayQueue<>(QUEUE);
    private final ProbePlan plan;
    private volatile Warmth published = Warmth.UNKNOWN;
    private volatile boolean countersMissing;
    private volatile boolean restarted;
    private volatile Map<String, Estimate> tableEstimates = Map.of();
    private final Queue<String> forgottenTables = new ConcurrentLinkedQueue<>();

    private final ColdRows rules = new ColdRows("rule", RULES);
    private final ColdRows tables = new ColdRows("table", TABLES);
    private final ColdRows digests = new ColdRows("digest", DIGESTS);
    private final WarmingCurve curve = new WarmingCurve();
    /** The same by the pages of the whole server. */
    private final WarmingCurve dividedCurve = new WarmingCurve();

    private ColdEstimate cold = ColdEstimate.present();
    private ColdEstimate calm = ColdEstimate.calm();
    private ColdEstimate divided = ColdEstimate.present();
    private double reference = Double.NaN;
    /** Whether it has been the primary since its start, and until when. */
    private boolean wasPrimary;

    private long primaryNanos;
    private boolean sinceRestart;
    private int withoutCounters;
    private long givenUpNanos;

    private long uptime = -1;
    private long startedNanos;
    private long reads = -1;
    private double readsPerSecond = Double.NaN;
    private double mostReads = Double.NaN;
    private long executedAtReads;
    private long executedAtStart;
    private long executedBefore = -1;
    private double mirroredPerSecond;
    private long updatedNanos;

    /**
     * @param seed of the choice of probes
     * @param probes a second, until the first {@link #update}
     */
    public StandbyWarmth(long seed, int probes) {
        plan = new ProbePlan(seed, probes);
    }

    /** Returns whether the next SELECT is to be a probe. Thread-safe. */
    public boolean probeNext() {
        return !countersMissing && plan.take();
    }

    /** Returns the share of SELECTs that are probes. */
    public double probedShare() {
        return plan.share();
    }

    /** Takes the end of a probe. Thread-safe; never blocks. */
    public void ended(Probed probe) {
        ended.offer(probe);
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
        restarted = false;
        server(state, executed, nowNanos);
        if (primary) {
            wasPrimary = true;
            primaryNanos = nowNanos;
        }
        String forgotten;
        while ((forgotten = forgottenTables.poll()) != null) {
            tables.remove(forgotten);
        }
        Probed probe;
        while ((probe = ended.poll()) != null) {
            take(probe, executed);
        }
        if (countersMissing && nowNanos - givenUpNanos > GIVEN_UP_NANOS) {
            countersMissing = false; // the standby may have been upgraded
            withoutCounters = 0;
        }
        long mirrored = executed - executedAtStart;
        published = state.reachable()
                ? measured(floor, compared, mirrored, settings, nowNanos)
                : unreachable(floor, mirrored);
        tableEstimates = tables.estimates(nowNanos - STALE_NANOS);
        plan.adapt(perSecond(settings, published.cold()), nowNanos);
        updatedNanos = nowNanos;
    }

    private static double perSecond(WarmthSettings settings, Estimate cold) {
        double margin = (cold.high() - cold.low()) / 2;
        boolean rough = !cold.known() || margin > Math.max(settings.target() / 2, ROUGH_SHARE * cold.mean());
        return rough ? settings.probes() * DENSE : settings.probes();
    }

    private void server(StandbyState state, long executed, long nowNanos) {
        double passed = (nowNanos - updatedNanos) / 1e9;
        boolean first = executedBefore < 0;
        long done = first ? 0 : executed - executedBefore;
        executedBefore = executed;
        if (first) {
            executedAtStart = executed;
        } else if (passed > 0) {
            mirroredPerSecond += RATE_WEIGHT * (done / passed - mirroredPerSecond);
        }
        if (state.uptimeSeconds() < 0 || state.coldReads() < 0) {
            readsPerSecond = Double.NaN;
            return;
        }
        long started = nowNanos - TimeUnit.SECONDS.toNanos(state.uptimeSeconds());
        // A standby that was out of reach for longer than it ran before has a higher uptime than the last one seen.
        boolean fresh = state.uptimeSeconds() != uptime; // a stale state makes the start seem later
        boolean later = uptime >= 0 && fresh && started - startedNanos > RESTART_NANOS;
        startedNanos = uptime < 0 ? started : Math.min(started, startedNanos);
        if (state.uptimeSeconds() < uptime || later) {
            startedNanos = started;
            restart(executed);
            uptime = state.uptimeSeconds() - 1;
            reads = -1;
        }
        // The state is read by another thread, once a second by the standby's clock.
        double seconds = state.uptimeSeconds() - uptime;
        if (seconds == 0) {
            return;
        }
        uptime = state.uptimeSeconds();
        if (reads >= 0) {
            long since = Math.max(0, state.coldReads() - reads);
            readsPerSecond = since / seconds;
            mostReads = Double.isNaN(mostReads) ? readsPerSecond : Math.max(mostReads, readsPerSecond);
            long statements = executed - executedAtReads;
            if (statements >= FEWEST_STATEMENTS) {
                double executions = (double) statements;
                double position = (double) (executed - executedAtStart);
                divided.add(since / executions, executions, position, nowNanos);
                dividedCurve.add(position, since / executions, executions);
            }
        }
        reads = state.coldReads();
        executedAtReads = executed;
    }

    private void restart(long executed) {
        restarted = true;
        wasPrimary = false;
        cold = ColdEstimate.present();
        calm = ColdEstimate.calm();
        divided = ColdEstimate.present();
        rules.clear();
        tables.clear();
        digests.clear();
        curve.clear();
        dividedCurve.clear();
        reference = Double.NaN;
        sinceRestart = true;
        executedAtStart = executed;
        withoutCounters = 0;
        countersMissing = false;
        ended.clear();
    }

    private void take(Probed probe, long executed) {
        if (probe.result().outcome() == ProbeResult.Outcome.NO_COUNTERS && ++withoutCounters >= GIVEN_UP) {
            countersMissing = true;
            givenUpNanos = probe.nanos();
        }
        if (probe.result().outcome() != ProbeResult.Outcome.COUNTED) {
            return;
        }
        withoutCounters = 0;
        double pages = probe.result().pages();
        double position = (double) (executed - executedAtStart);
        cold.add(pages, probe.weight(), position, probe.nanos());
        calm.add(pages, probe.weight(), position, probe.nanos());
        curve.add(position, pages, probe.weight());
        rules.add(probe.rule(), pages, probe.weight(), probe.nanos());
        digests.add(String.format("%016x", probe.digest()), pages, probe.weight(), probe.nanos());
        if (probe.result().tables().isEmpty() && probe.reads().size() == 1) {
            tables.add(probe.table(""), pages, probe.weight(), probe.nanos());
        }
        for (ReferencePages table : probe.result().tables()) {
            tables.add(probe.table(table.name()), (double) table.pages(), probe.weight(), probe.nanos());
        }
    }

    /** A former primary has what the load reads: it served all of it until some minutes ago. */
    private String state(Estimate pages, Estimate own, boolean stale, long nowNanos) {
        if (pages.known()) {
            return own.known() ? "known" : "floor_unknown";
        }
        if (wasPrimary && nowNanos - primaryNanos < STALE_NANOS) {
            return "was_primary";
        }
        return stale ? "no_recent_probes" : "no_probes";
    }

    private Warmth unreachable(Floor floor, long mirrored) {
        return new Warmth(
                "unreachable",
                Estimate.UNKNOWN,
                floor.estimate(),
                Estimate.UNKNOWN,
                Double.NaN,
                reference,
                sinceRestart,
                "none",
                Double.NaN,
                mirrored,
                () -> Forecast.UNKNOWN,
                rules.view(SHOWN),
                tables.view(SHOWN),
                digests.view(SHOWN));
    }

    private Warmth measured(Floor floor, Compared compared, long mirrored, WarmthSettings settings, long nowNanos) {
        ColdEstimate used = countersMissing ? divided : cold;
        Estimate pages = used.estimate();
        boolean stale = pages.known() && nowNanos - used.lastNanos() > STALE_NANOS;
        if (stale) {
            pages = Estimate.UNKNOWN;
        }
        // Pages of the whole server, divided, have the applier's in them.
        Estimate own = floor.estimate(countersMissing ? Estimate.UNKNOWN : compared.floor());
        Estimate excess = pages.minus(own);
        if (excess.known() && (Double.isNaN(reference) || excess.samples() >= REFERENCE_PROBES)) {
            reference = Double.isNaN(reference) ? excess.mean() : Math.max(reference, excess.mean());
        }
        return new Warmth(
                state(pages, own, stale, nowNanos),
                pages,
                own,
                excess,
                warmth(excess, settings.target()),
                reference,
                sinceRestart,
                countersMissing ? "global_counter_divided" : "probes",
                used.share(),
                mirrored,
                forecast(excess, own, floor, used, compared, mirrored, settings),
                rules.view(SHOWN),
                tables.view(SHOWN),
                digests.view(SHOWN));
    }

    private double warmth(Estimate excess, double target) {
        if (!excess.known()) {
            return Double.NaN;
        }
        return reference <= target ? 1 : 1 - Math.min(1, Math.max(0, excess.mean()) / reference);
    }

    /** Returns the forecast of what is known now, which is worked out when somebody asks. */
    private Supplier<Forecast> forecast(
            Estimate excess,
            Estimate own,
            Floor floor,
            ColdEstimate used,
            Compared compared,
            long mirrored,
            WarmthSettings settings) {
        if (!excess.known()) {
            return () -> Forecast.UNKNOWN;
        }
        List<WarmingCurve.Point> points = (countersMissing ? dividedCurve : curve).points();
        long missingAt = compared.executed() - executedAtStart;
        // A comparison from before a restart is of another pool.
        double missing = missingAt < 0 ? Double.NaN : compared.missing();
        Courses.Level present = new Courses.Level(excess, used.position(), own.mean());
        Estimate calmer = countersMissing ? Estimate.UNKNOWN : calm.estimate().minus(own);
        Courses.Level longer = calmer.known() ? new Courses.Level(calmer, calm.position(), own.mean()) : present;
        Integer configured = settings.standbyIops();
        Forecast.Situation situation = new Forecast.Situation(
                (double) mirrored,
                floor.allReadsPerQuery(),
                floor.selectsPerSecond(),
                mirroredPerSecond,
                settings.target(),
                configured == null ? mostReads : configured,
                configured != null);
        return () -> {
            Courses courses = Courses.of(points, longer, missing, (double) missingAt);
            if (present.excess().agrees(courses.continued(longer, present.statements()))) {
                return Forecast.of(courses, longer, situation);
            }
            return Forecast.of(Courses.of(points, present, missing, (double) missingAt), present, situation);
        };
    }

    /** Returns whether the last update found the standby restarted. */
    public boolean restarted() {
        return restarted;
    }

    /** Returns the page reads of a mirrored statement there, unknown before there are probes. */
    public Estimate cold() {
        return published.cold();
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
        forgottenTables.add(table);
    }

    /** Returns the page reads of a statement that reads the table; unknown without recent probes. Thread-safe. */
    public Estimate ofTable(String table) {
        Map<String, Estimate> all = tableEstimates;
        Estimate exact = all.get(table);
        if (exact != null) {
            return exact;
        }
        for (Map.Entry<String, Estimate> entry : all.entrySet()) {
            if (entry.getKey().equalsIgnoreCase(table)) {
                return entry.getValue();
            }
        }
        return Estimate.UNKNOWN;
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
        return readsPerSecond;
    }

    /** Returns the figures of {@code /api/standbys}. */
    public Map<String, @Nullable Object> view() {
        return published.summary();
    }

    /** Returns where it is cold, for {@code /api/mirror}. */
    public Map<String, Object> where() {
        return published.where();
    }
}
