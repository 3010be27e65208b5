package io.understudy.plugins.mirror.playback;

import io.understudy.base.NoTask;
import io.understudy.base.RepeatedWarning;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.PauseGuard;
import io.understudy.plugins.mirror.selection.SampleRate;
import io.understudy.plugins.mirror.selection.TableLeases;
import io.understudy.plugins.mirror.statement.StandbyCollations;
import io.understudy.plugins.mirror.tables.TableDictionary;
import io.understudy.plugins.mirror.warmth.Floor;
import io.understudy.sql.TableName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mirroring to one standby: decides which statements its queue takes, and holds the queue, the connections that empty
 * it, and what is known of the standby. {@link #offer} is called by sessions and never blocks.
 */
public final class StandbyMirror {
    private static final Logger log = LoggerFactory.getLogger(StandbyMirror.class);
    private static final int SWEEP_MILLIS = 200;
    /** Time within which a lag is noticed. */
    private static final long PROBED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Standby standby;
    private final List<Executor> queries;
    private final PluginContext context;
    private final PauseGuard pause;
    private final StandbyCollations collations;
    private final RecentDdl schemaChanges;
    private final StandbyTables tables;
    private final MirrorAccount account;
    private final TableLeases skipped = new TableLeases();
    private final StandbyErrors errors;
    private final StandbyKiller killer;
    private final StandbyProbes probing;
    private final Floor floor;
    private final StatementCounters counters;
    private final MirrorQueue queue;
    private final RepeatedWarning warnings = new RepeatedWarning(System::nanoTime);
    private final LongSupplier nanoTime;

    private volatile MirrorConfig config;
    private Future<?> sweeper = NoTask.NONE;

    /**
     * The mirror of one standby.
     *
     * @param dictionary opens what tells the standby's tables
     * @param tableQueries runs queries of the dictionary, which wait for the standby
     * @param counterQueries runs queries of counters, which wait for the standby and the primary
     * @param nanoTime by which the age of a connection is measured
     */
    public StandbyMirror(
            Standby standby,
            PluginContext context,
            MirrorMeters meters,
            MirrorConfig config,
            DigestTimes times,
            StandbyCollations collations,
            RecentDdl schemaChanges,
            Floor floor,
            TableDictionary.Source dictionary,
            Executor tableQueries,
            Executor counterQueries,
            LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.floor = floor;
        this.queries = List.of(tableQueries, counterQueries);
        this.standby = standby;
        this.context = context;
        this.config = config;
        this.pause = new PauseGuard(standby, System::nanoTime);
        this.collations = collations;
        this.schemaChanges = schemaChanges;
        this.tables = new StandbyTables(
                dictionary,
                tableQueries,
                () -> this.config.pureFunctions(),
                schemaChanges,
                this::appliedNanos,
                new Findings());
        this.account = new MirrorAccount(standby, tableQueries);
        this.errors = new StandbyErrors(standby.name(), context.clock());
        this.killer = new StandbyKiller(standby.name(), standby.connector());
        this.counters = new StatementCounters(
                standby.name(),
                meters,
                times,
                context.latency("understudy_mirror_seconds", "Execution on the standby", "standby", standby.name()));
        this.probing = new StandbyProbes(standby, meters, config, floor, counterQueries, System.nanoTime());
        pause.check(config.pauseAbove());
        this.queue = new MirrorQueue(this, tables, counters, config);
        meters.waiting(standby.name(), queue::statements, queue::bytes);
    }

    /** Limits the lines about lost connections, which end at once with the standby, and about faults. */
    RepeatedWarning warnings() {
        return warnings;
    }

    public void start() {
        sweeper = context.executor()
                .scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    public void stop() {
        sweeper.cancel(false);
        queue.close();
        queue.discardAll(DropReason.STANDBY_DOWN);
        queries.forEach(QueryThread::end);
    }

    /** Applies to statements queued from now on; concurrency and order need a restart. */
    public void reload(MirrorConfig changed) {
        config = changed;
        queue.limits(changed.queue());
        probing.reload(changed);
        tables.forget(); // other functions may count as pure
    }

    /** Returns the time after which a standby that is not paused for its lag has applied a schema change. */
    private long appliedNanos() {
        return config.pauseAbove().replicationLag().toNanos() + PROBED_NANOS;
    }

    public String name() {
        return standby.name();
    }

    /**
     * Queues a statement like {@link #offer(MirroredStatement)} if this standby's sample or its boost takes it.
     *
     * @param random drawn for the statement
     */
    public void offer(MirroredStatement statement, int random) {
        if (standby.isPrimary()) {
            return; // it has executed the statement itself
        }
        MirrorRules.Bound rule = statement.rule();
        boolean sampled = rule.takes(random, this);
        if (sampled && rule.rule().sample().isAdaptive()) {
            probing.offered();
        }
        TableLeases boosted = probing.boost().tables();
        if (!boosted.isEmpty()) {
            if (!sampled && !probing.boost().takes(statement.tables(), random, System.nanoTime())) {
                return;
            }
            boosted.count(statement.tables());
        } else if (!sampled) {
            return;
        }
        // What its names exclude for good, such as a view that cannot be read, is no part of the load that is warmed.
        if (offer(statement) && statement.mayBeProbe()) {
            probing.taken(rule, statement.tables());
        }
    }

    /**
     * Drops a statement that exceeds the rule's rate.
     *
     * @param query whether it might have been a probe
     * @param random drawn for the statement
     */
    public void limited(MirrorRules.Bound rule, boolean query, int random) {
        drop(DropReason.RATE_LIMITED);
        if (query && rule.takes(random, this)) {
            probing.taken(rule, List.of());
        }
    }

    /** Returns the sample of adaptive rules for this standby. */
    SampleRate adaptiveSample() {
        return probing.sample();
    }

    public StandbyProbes probing() {
        return probing;
    }

    /**
     * Queues a statement and retains it, or drops it and counts the reason. Thread-safe; never blocks.
     *
     * @return whether nothing about the statement itself keeps it from being mirrored
     */
    public boolean offer(MirroredStatement statement) {
        DropReason refused = refusal();
        if (refused != null) {
            drop(refused);
            return true;
        }
        StandbyTables.Verdict verdict = tables.verdict(statement.tables());
        refused = refusal(statement, verdict);
        if (refused != null) {
            drop(statement, refused);
            return false;
        }
        queue.offer(statement, verdict != StandbyTables.Verdict.WAIT);
        return true;
    }

    /** The results of the thread of {@link StandbyTables}. */
    private final class Findings implements StandbyTables.Listener {
        private long renewedNanos = System.nanoTime() - MirrorSender.RENEWED_NANOS;

        @Override
        public void decided(MirroredStatement statement, StandbyTables.Verdict verdict) {
            DropReason refused = refusal(statement, verdict);
            if (refused != null) {
                queue.discard(statement, refused);
            } else {
                queue.tablesKnown(statement);
            }
        }

        /** A view that statements could read takes user locks, perhaps: no connection keeps one. */
        @Override
        public void turnedUnfit(TableName name, String reason) {
            log.info("{} on standby {} is not mirrored any more: {}", name, standby.name(), reason);
            queue.releaseLocks();
        }

        @Override
        public void refused() {
            long now = System.nanoTime();
            if (now - renewedNanos >= MirrorSender.RENEWED_NANOS) {
                renewedNanos = now;
                standby.renewConnections();
            }
        }
    }

    /** Returns why a statement must not be sent for the tables that it names, or null. */
    private @Nullable DropReason refusal(MirroredStatement statement, StandbyTables.Verdict verdict) {
        if (skipped.covers(statement.tables(), System.nanoTime())) {
            skipped.count(statement.tables());
            return DropReason.TABLE_SKIPPED;
        }
        return tables.refusal(statement, verdict, errors);
    }

    /** As above, when no time is left to query the standby. */
    private @Nullable DropReason refusalOfQueued(MirroredStatement statement) {
        StandbyTables.Verdict verdict = tables.verdict(statement.tables());
        // Its names were known when it was queued; since then an outage or a reload made the mirror forget them.
        return verdict == StandbyTables.Verdict.WAIT ? DropReason.DICTIONARY_UNREAD : refusal(statement, verdict);
    }

    private @Nullable DropReason refusal() {
        if (pause.paused()) {
            return pause.reason();
        }
        return queue.allBackingOff() ? DropReason.STANDBY_DOWN : null;
    }

    /**
     * Called when a statement has left the queue. Returns false if it waited too long or mirroring is paused; it is
     * then dropped and released.
     */
    boolean dequeued(MirroredStatement statement) {
        long mostNanos = queue.taken(statement);
        DropReason stale = pause.paused()
                ? pause.reason()
                : System.nanoTime() - statement.queuedNanos() > mostNanos
                        ? DropReason.TOO_OLD
                        : refusalOfQueued(statement);
        if (stale != null) {
            counters.dropped(statement, stale); // also where it has become the primary meanwhile
            statement.release();
            return false;
        }
        return true;
    }

    /** Returns whether it is the present primary, so that nothing is mirrored to it, and nothing dropped. */
    boolean isPrimary() {
        return standby.isPrimary();
    }

    /** Counts a statement that was meant for it. */
    public void drop(DropReason reason) {
        if (!standby.isPrimary()) {
            counters.dropped(reason);
        }
    }

    /** As above; one that the account must not execute counts as an error. */
    void drop(MirroredStatement statement, DropReason reason) {
        if (!standby.isPrimary()) {
            counters.dropped(statement, reason);
        }
    }

    /** Called by connections when an execution has ended. */
    void executed(MirroredStatement statement, String outcome, long nanos) {
        probing.executed(statement);
        counters.executed(statement, outcome, nanos);
    }

    private void sweep() {
        long now = System.nanoTime();
        part(() -> pause.check(config.pauseAbove()));
        part(this::sweepTables);
        part(() -> account.sweep(now));
        part(() -> schemaChanges.forget(now, appliedNanos()));
        part(() -> skipped.expire(now));
        part(() -> probing.update(config, floor, now));
        part(() -> queue.sweep(now));
        part(this::sweepQueue);
    }

    /** A part that throws delays no other one: without them statements would not be killed, nor the queue emptied. */
    private void part(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            if (warnings.mayLog("sweep: " + e) >= 0) {
                log.error("a part of the sweep of {} failed; it will be run again", name(), e);
            }
        }
    }

    private void sweepTables() {
        if (standby.state().reachable()) {
            tables.makeRoom();
        } else {
            tables.forget();
            collations.forget();
        }
    }

    private void sweepQueue() {
        if (queue.allBackingOff()) {
            queue.discardAll(DropReason.STANDBY_DOWN);
        }
        queue.drain(); // the timer has no loop before the first connection is open
    }

    public TableLeases skipped() {
        return skipped;
    }

    /** Begins or renews a skip. Returns the response, with how cold the standby is for the table's reads. */
    public Map<String, Object> skip(String table, long nowNanos) {
        skipped.renew(table, nowNanos);
        Map<String, Object> response = new LinkedHashMap<>();
        response.put("skipped", table);
        response.put("seconds", TableLeases.LEASE_SECONDS);
        response.putAll(probing.coldOf(table));
        return response;
    }

    /** Returns the time by which the age of a connection is measured. */
    long nanoTime() {
        return nanoTime.getAsLong();
    }

    StandbyErrors errors() {
        return errors;
    }

    StandbyKiller killer() {
        return killer;
    }

    MirrorQueue queue() {
        return queue;
    }

    PluginContext context() {
        return context;
    }

    public Standby standby() {
        return standby;
    }

    public MirrorConfig config() {
        return config;
    }

    StandbyCollations collations() {
        return collations;
    }

    public PauseGuard pause() {
        return pause;
    }

    /** Returns the standby's state for the admin endpoint. */
    public Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("standby", standby.name());
        view.put("state", pause.describe());
        view.put("connections", queue.openConnections());
        view.put("waitingStatements", queue.statements());
        view.put("waitingBytes", queue.bytes());
        view.putAll(counters.view());
        List<String> excess = account.excess();
        if (excess != null) {
            view.put("accountCanAlso", excess);
        }
        view.put("tables", tables.view());
        view.put("skippedTables", skipped.view(System.nanoTime()));
        view.put("boostedTables", probing.boostedView(config, System.nanoTime()));
        view.put("lastErrors", errors.view());
        view.putAll(probing.details(config));
        return view;
    }
}
