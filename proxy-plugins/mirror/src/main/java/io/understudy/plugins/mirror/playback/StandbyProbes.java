package io.understudy.plugins.mirror.playback;

import io.micrometer.core.instrument.Counter;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import io.understudy.plugins.mirror.selection.Boost;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.PastSamples;
import io.understudy.plugins.mirror.selection.SampleRate;
import io.understudy.plugins.mirror.statement.RefusedForms;
import io.understudy.plugins.mirror.warmth.AdaptiveSample;
import io.understudy.plugins.mirror.warmth.Estimate;
import io.understudy.plugins.mirror.warmth.Floor;
import io.understudy.plugins.mirror.warmth.OwnLoad;
import io.understudy.plugins.mirror.warmth.ProbeResult;
import io.understudy.plugins.mirror.warmth.Probed;
import io.understudy.plugins.mirror.warmth.StandbyCounters;
import io.understudy.plugins.mirror.warmth.StandbyWarmth;
import io.understudy.plugins.mirror.warmth.WarmthSettings;
import io.understudy.plugins.mirror.warmth.WritesApart;
import io.understudy.sql.TableName;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mirror's part in measuring one standby: makes probes of statements, passes their results to its
 * {@link StandbyWarmth}, and sets the adaptive sample by what that finds. {@link #probe} and {@link #offered} are
 * called by event loops, {@link #update} by one thread.
 */
public final class StandbyProbes implements Playback.Probes, Probe.Listener {
    private static final Logger log = LoggerFactory.getLogger(StandbyProbes.class);
    private static final long UPDATE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Smallest adaptive sample, so that a share can always be written in millionths. */
    private static final double LOWEST = 1e-4;

    private static final double RATE_WEIGHT = 0.1;

    private final Standby standby;
    private final MirrorMeters meters;
    private final StandbyWarmth warmth;
    private final AdaptiveSample adaptive;
    private final StandbyCounters counters;
    private final Boost boost;
    private final Map<ProbeResult.Outcome, Counter> outcomes = new EnumMap<>(ProbeResult.Outcome.class);
    private final LongAdder offered = new LongAdder();
    private final LongAdder taken = new LongAdder();
    private final DoubleAdder covered = new DoubleAdder();
    private final LongAdder queries = new LongAdder();
    private final LongAdder lookups = new LongAdder();

    private final RefusedForms refused = new RefusedForms();

    private volatile SampleRate sample = SampleRate.of(1);
    private final PastSamples samples = new PastSamples(sample);
    private volatile boolean discards;
    private long updatedNanos;
    private double adaptiveLoad = Double.NaN;
    private volatile double least = 1;

    /** @param counterQueries runs queries, which wait for the standby and the primary */
    StandbyProbes(
            Standby standby,
            MirrorMeters meters,
            MirrorConfig config,
            Floor floor,
            Executor counterQueries,
            long nowNanos) {
        this.standby = standby;
        this.meters = meters;
        this.warmth = new StandbyWarmth(nowNanos, config.probes());
        this.counters = new StandbyCounters(
                standby.name(), standby::dataSource, floor, counterQueries, this::executed, warmth::coldPages);
        this.adaptive = new AdaptiveSample(nowNanos);
        this.boost = new Boost(nowNanos);
        this.updatedNanos = nowNanos;
        reload(config);
        for (ProbeResult.Outcome outcome : ProbeResult.Outcome.values()) {
            outcomes.put(outcome, meters.probes(standby.name(), outcome.label()));
        }
        meters.warmth(warmth, standby.name());
    }

    @Override
    public @Nullable Probe probe(MirroredStatement statement, ServerFlavor flavor) {
        return statement.mayBeProbe() && warmth.probeNext()
                ? new Probe(statement, flavor, warmth.probedShare(), this)
                : null;
    }

    /** Takes over the part of the configuration that applies to statements. */
    void reload(MirrorConfig config) {
        discards = config.rows() == MirrorConfig.Rows.DISCARD_ON_STANDBY;
    }

    @Override
    public boolean discardsRows(MirroredStatement statement) {
        return discards && statement.isSelect() && !refused.contains(statement.digest(), System.nanoTime());
    }

    @Override
    public void refusedForm(MirroredStatement statement) {
        refused.add(statement.digest(), System.nanoTime());
    }

    @Override
    public void probed(MirroredStatement statement, double share, ProbeResult result) {
        long now = System.nanoTime();
        // It was chosen by the sample of then: the queue may be seconds long.
        SampleRate then = samples.at(statement.queuedNanos());
        double taken = Math.max(statement.rule().share(then), boost.share(statement.tables(), now));
        double sampled = Math.max(LOWEST, taken * statement.rule().limit().passing(now));
        boolean accepted = warmth.ended(new Probed(
                statement.rule().name(),
                statement.digest(),
                1 / (sampled * Math.max(1e-9, share)),
                statement.setting().schema(),
                statement.summary() == null ? List.of() : statement.summary().reads(),
                result,
                now));
        Counter counter = outcomes.get(accepted ? result.outcome() : ProbeResult.Outcome.QUEUE_FULL);
        if (counter != null) {
            counter.increment();
        }
    }

    /**
     * Called for each statement that the rule's sample or a boost takes, whether or not it is then sent.
     *
     * @param tables that it reads
     */
    void taken(MirrorRules.Bound rule, List<TableName> tables) {
        double share = rule.share(sample);
        if (!boost.tables().isEmpty()) {
            share = Math.max(share, boost.share(tables, System.nanoTime()));
        }
        covered.add(1 / Math.max(LOWEST, share));
        // Statements of some sessions say less than as many of all.
        if (share >= 1 || rule.rule().by() == MirrorConfig.By.STATEMENT) {
            taken.increment();
        }
    }

    /** Called for each statement that an adaptive rule mirrors. */
    void offered() {
        offered.increment();
    }

    /** Called when the standby has executed a statement. */
    void executed(MirroredStatement statement) {
        (statement.mayBeProbe() ? queries : lookups).increment();
    }

    private WritesApart.Executed executed() {
        return new WritesApart.Executed(queries.sum(), lookups.sum());
    }

    /** Begins or renews a table's boost. Its estimate begins anew with the boost. */
    public void boost(String table, long nowNanos) {
        if (boost.tables().renew(table, nowNanos)) {
            warmth.forgetTable(table);
        }
    }

    public Boost boost() {
        return boost;
    }

    /** Returns how cold the standby is for reads of one table, and the primary for all statements. */
    Map<String, Object> coldOf(String table) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("coldPages", warmth.ofTable(table).view());
        view.put("floorPages", warmth.floor().view("statements"));
        return view;
    }

    /** Returns the tables that are boosted, with the statements taken since and how cold they are. */
    List<Map<String, Object>> boostedView(MirrorConfig config, long nowNanos) {
        List<Map<String, Object>> view = new ArrayList<>();
        boost.view(nowNanos).forEach((table, statements) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("table", table);
            row.put("statements", statements);
            row.put("share", boost.share().toString());
            row.put("target", config.target());
            row.putAll(coldOf(table));
            view.add(row);
        });
        return view;
    }

    /** Returns the sample of adaptive rules. */
    SampleRate sample() {
        return sample;
    }

    /** Works off what has happened, if a second has passed since the last time. */
    void update(MirrorConfig config, Floor floor, long nowNanos) {
        long passed = nowNanos - updatedNanos;
        if (passed < UPDATE_NANOS) {
            return;
        }
        updatedNanos = nowNanos;
        StandbyState state = standby.state();
        WarmthSettings settings = new WarmthSettings(config.target(), config.standbyIops(), config.probes());
        warmth.covered(covered.sumThenReset(), (double) taken.sumThenReset(), floor, passed / 1e9);
        long all = executed().all();
        warmth.update(state, standby.isPrimary(), floor, counters.compared(), all, settings, nowNanos);
        counters.update(state, warmth.restarted(), nowNanos);
        if (!standby.isPrimary()) {
            adapt(config, state, passed / 1e9, nowNanos);
        }
    }

    private void adapt(MirrorConfig config, StandbyState state, double seconds, long nowNanos) {
        double load = offered.sumThenReset() / seconds / sample.share();
        adaptiveLoad = Double.isNaN(adaptiveLoad) ? load : adaptiveLoad + RATE_WEIGHT * (load - adaptiveLoad);
        least = Math.min(1, Math.max(LOWEST, adaptiveLoad > 0 ? config.probes() / adaptiveLoad : 1));
        MirrorConfig.Budget budget = config.budget();
        Double lag = state.lagSeconds();
        Estimate excess = warmth.excess();
        AdaptiveSample.Measured measured = new AdaptiveSample.Measured(
                excess,
                warmth.restarted(),
                warmth.readsPerSecond(),
                lag == null ? Double.NaN : lag,
                state.threadsRunning() < 0 ? Double.NaN : state.threadsRunning(),
                least);
        AdaptiveSample.Bounds bounds = new AdaptiveSample.Bounds(
                config.target(),
                budget.pageReads() == null ? Double.POSITIVE_INFINITY : budget.pageReads(),
                budget.replicationLag().toMillis() / 1000.0,
                budget.threadsRunning());
        boost.update(measured, bounds, nowNanos);
        if (adaptive.update(measured, bounds, nowNanos)) {
            SampleRate next = SampleRate.of(adaptive.ratio());
            String why = adaptive.reason().label();
            meters.sampleChanges(standby.name(), why).increment();
            if (usesAdaptive(config)) {
                log.info(
                        "adaptive sample of {} {} -> {}: {} (excess {} pages a statement)",
                        standby.name(),
                        sample,
                        next,
                        why,
                        excess.known() ? String.format(Locale.ROOT, "%.3f", excess.mean()) : "unknown");
            }
            samples.add(next, System.nanoTime());
            sample = next;
        }
    }

    private static boolean usesAdaptive(MirrorConfig config) {
        return config.rules().stream().anyMatch(rule -> rule.sample().isAdaptive());
    }

    /** Returns the figures of {@code /api/standbys}. */
    public Map<String, @Nullable Object> view() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>(warmth.view());
        OwnLoad own = counters.ownLoad();
        view.put("ownLoad", own == null ? null : own.view());
        return view;
    }

    /** Returns the figures of {@code /api/mirror}: where it is cold, and the adaptive sample. */
    Map<String, Object> details(MirrorConfig config) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("warmth", view());
        view.put("cold", warmth.where());
        if (usesAdaptive(config)) {
            view.put(
                    "adaptive",
                    Map.of(
                            "sample",
                            sample.toString(),
                            "reason",
                            adaptive.reason().label(),
                            "least",
                            SampleRate.of(least).toString()));
        }
        return view;
    }
}
