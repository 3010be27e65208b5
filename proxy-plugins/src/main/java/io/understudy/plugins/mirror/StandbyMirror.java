package io.understudy.plugins.mirror;

import io.understudy.base.NoTask;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import io.understudy.plugins.mirror.warmth.Floor;
import io.understudy.sql.TableName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mirroring to one standby: a queue bounded in statements, bytes and age, the connections that empty it, and the
 * counters of dropped statements. {@link #offer} is called by sessions, costs a few atomic operations and never blocks.
 */
final class StandbyMirror {
    private static final Logger log = LoggerFactory.getLogger(StandbyMirror.class);
    private static final int SWEEP_MILLIS = 200;
    /** Time within which a lag is noticed. */
    private static final long PROBED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Every so many queued statements wake a connection without waiting for the timer; fewer if the queue is so short
     * that it would fill up before.
     */
    private static final int WAKE_EVERY = 1024;

    private final Standby standby;
    private final PluginContext context;
    private final PauseGuard pause;
    private final StandbyCollations collations;
    private final RecentDdl schemaChanges;
    private final StandbyTables tables;
    private final TableLeases skipped = new TableLeases();
    private final StandbyErrors errors;
    private final StandbyKiller killer;
    private final StandbyProbes probing;
    private final Floor floor;
    private final NamedTables names;
    private final StatementCounters counters;
    private final MirrorLanes lanes;
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final DrainTimer timer = new DrainTimer(this::drain);
    private final MirrorConfig.Order order;

    private volatile MirrorConfig config;
    private volatile boolean stopped;
    private Future<?> sweeper = NoTask.NONE;

    StandbyMirror(
            Standby standby,
            PluginContext context,
            MirrorMeters meters,
            MirrorConfig config,
            DigestTimes times,
            StandbyCollations collations,
            RecentDdl schemaChanges,
            Floor floor) {
        this(
                standby,
                context,
                meters,
                config,
                times,
                collations,
                schemaChanges,
                floor,
                () -> TableDictionary.of(standby.dataSource()),
                QueryThread.named("mirror-tables-" + standby.name()),
                QueryThread.named("mirror-counters-" + standby.name()));
    }

    StandbyMirror(
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
            Executor counterQueries) {
        this.floor = floor;
        this.standby = standby;
        this.context = context;
        this.config = config;
        this.order = config.order();
        this.pause = new PauseGuard(standby);
        this.collations = collations;
        this.schemaChanges = schemaChanges;
        this.tables = new StandbyTables(
                dictionary, tableQueries, () -> this.config.pureFunctions(), schemaChanges, this::appliedNanos);
        tables.listener(new StandbyTables.Listener() {
            @Override
            public void decided(MirroredStatement statement, StandbyTables.Verdict verdict) {
                StandbyMirror.this.decided(statement, verdict);
            }

            @Override
            public void turnedUnfit(TableName name, String reason) {
                StandbyMirror.this.turnedUnfit(name, reason);
            }
        });
        this.errors = new StandbyErrors(standby.name(), context.clock(), System.nanoTime());
        this.killer = new StandbyKiller(standby.name(), standby.connector());
        this.names = new NamedTables(tables, skipped, errors);
        this.counters = new StatementCounters(
                standby.name(),
                meters,
                times,
                context.latency("understudy_mirror_seconds", "Execution on the standby", "standby", standby.name()));
        this.probing = new StandbyProbes(standby, meters, config, floor, counterQueries, System.nanoTime());
        pause.check(config.pauseAbove());
        meters.waiting(standby.name(), statements::get, bytes::get);
        this.lanes = new MirrorLanes(this, config);
    }

    void start() {
        sweeper = context.executor()
                .scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    void stop() {
        stopped = true;
        sweeper.cancel(false);
        lanes.close();
        discardWaiting(DropReason.STANDBY_DOWN);
    }

    /** Applies to statements queued from now on; concurrency and order need a restart. */
    void reload(MirrorConfig changed) {
        config = changed;
        probing.reload(changed);
        tables.forget(); // other functions may count as pure
    }

    /** Returns the time after which a standby that is not paused for its lag has applied a schema change. */
    private long appliedNanos() {
        return config.pauseAbove().replicationLag().toNanos() + PROBED_NANOS;
    }

    String name() {
        return standby.name();
    }

    /**
     * Queues a statement like {@link #offer(MirroredStatement)} if this standby's sample or its boost takes it.
     *
     * @param random drawn for the statement
     */
    void offer(MirroredStatement statement, int random) {
        MirrorRules.Bound rule = statement.rule();
        boolean sampled = rule.takes(random, this);
        if (sampled && rule.rule().sample().isAdaptive()) {
            probing.offered();
        }
        TableLeases boosted = probing.boosted();
        if (!boosted.isEmpty()) {
            if (!sampled && !probing.boosts(statement.tables(), random)) {
                return;
            }
            boosted.count(statement.tables());
        } else if (!sampled) {
            return;
        }
        offer(statement);
    }

    /** Returns the sample of adaptive rules for this standby. */
    SampleRate adaptiveSample() {
        return probing.sample();
    }

    StandbyProbes probing() {
        return probing;
    }

    /** Queues a statement and retains it, or drops it and counts the reason. Thread-safe; never blocks. */
    void offer(MirroredStatement statement) {
        DropReason refused = refusal();
        if (refused != null) {
            drop(refused);
            return;
        }
        StandbyTables.Verdict verdict = tables.verdict(statement.tables());
        refused = names.refusal(statement, verdict);
        if (refused != null) {
            drop(refused);
            return;
        }
        MirrorConfig.Queue limits = config.queue();
        int waiting = statements.incrementAndGet();
        if (waiting > limits.statements()) {
            statements.decrementAndGet();
            drop(DropReason.QUEUE_FULL);
            return;
        }
        if (bytes.addAndGet(statement.bytes()) > limits.bytes().bytes()) {
            statements.decrementAndGet();
            bytes.addAndGet(-statement.bytes());
            drop(DropReason.BYTES_FULL);
            return;
        }
        statement.retain();
        boolean behind = order == MirrorConfig.Order.SESSION && tables.holdsStatements();
        if (verdict == StandbyTables.Verdict.WAIT || behind) {
            tables.await(statement);
        } else {
            enqueue(statement, waiting);
        }
    }

    private void enqueue(MirroredStatement statement, int waiting) {
        if (stopped) {
            discard(statement, DropReason.STANDBY_DOWN);
            return;
        }
        MirrorLane lane = lanes.of(statement.sessionId());
        if (!lane.offer(statement)) {
            discard(statement, DropReason.QUEUE_FULL);
            return;
        }
        if (stopped) {
            discardWaiting(DropReason.STANDBY_DOWN); // of which stop() may have seen nothing
            return;
        }
        MirrorConfig.Queue limits = config.queue();
        if (waiting % Math.min(WAKE_EVERY, limits.statements() / 4 + 1) == 0 && lane.openConnections() > 0) {
            lane.wakeOne();
        }
        timer.offered();
    }

    /** Called when a statement has waited for its names to be known. */
    private void decided(MirroredStatement statement, StandbyTables.Verdict verdict) {
        DropReason refused = names.refusal(statement, verdict);
        if (refused != null) {
            discard(statement, refused);
        } else {
            enqueue(statement, statements.get());
            timer.offered();
        }
    }

    /** A view that statements could read takes user locks, perhaps: no connection keeps one. */
    private void turnedUnfit(TableName name, String reason) {
        log.info("{} on standby {} is not mirrored any more: {}", name, standby.name(), reason);
        lanes.releaseLocks();
    }

    private @Nullable DropReason refusal() {
        if (pause.paused()) {
            return pause.reason();
        }
        return lanes.allBackingOff() ? DropReason.STANDBY_DOWN : null;
    }

    /**
     * Called when a statement has left the queue. Returns false if it waited too long or mirroring is paused; it is
     * then dropped and released.
     */
    boolean dequeued(MirroredStatement statement) {
        statements.decrementAndGet();
        bytes.addAndGet(-statement.bytes());
        DropReason stale = pause.paused()
                ? pause.reason()
                : System.nanoTime() - statement.queuedNanos()
                                > config.queue().age().toNanos()
                        ? DropReason.TOO_OLD
                        : names.refusalOfQueued(statement);
        if (stale != null) {
            drop(stale);
            statement.release();
            return false;
        }
        return true;
    }

    void drop(DropReason reason) {
        counters.dropped(reason);
    }

    /** Called by connections when an execution has ended. */
    void executed(MirroredStatement statement, String outcome, long nanos) {
        probing.executed();
        counters.executed(statement, outcome, nanos);
    }

    /** Drops all queued statements. */
    void discardWaiting(DropReason reason) {
        MirroredStatement statement;
        while ((statement = lanes.poll()) != null) {
            discard(statement, reason);
        }
        while ((statement = tables.poll()) != null) {
            discard(statement, reason);
        }
    }

    /** Drops a queued statement. */
    void discard(MirroredStatement statement, DropReason reason) {
        statements.decrementAndGet();
        bytes.addAndGet(-statement.bytes());
        drop(reason);
        statement.release();
    }

    /** Wakes connections for the queued statements; returns false if there are none. */
    boolean drain() {
        if (statements.get() == 0) {
            return false;
        }
        lanes.drain();
        return true;
    }

    private void sweep() {
        pause.check(config.pauseAbove());
        long now = System.nanoTime();
        if (standby.state().reachable()) {
            tables.makeRoom();
        } else {
            tables.forget();
        }
        schemaChanges.forget(now, appliedNanos());
        skipped.expire(now);
        probing.update(config, floor, now);
        lanes.sweep(now);
        if (lanes.allBackingOff()) {
            discardWaiting(DropReason.STANDBY_DOWN);
        }
        drain(); // the timer has no loop before the first connection is open
    }

    TableLeases skipped() {
        return skipped;
    }

    /** Begins or renews a skip. Returns the response, with how cold the standby is for the table's reads. */
    Map<String, Object> skip(String table, long nowNanos) {
        skipped.renew(table, nowNanos);
        Map<String, Object> response = new LinkedHashMap<>();
        response.put("skipped", table);
        response.put("seconds", TableLeases.LEASE_SECONDS);
        response.putAll(probing.coldOf(table));
        return response;
    }

    StandbyErrors errors() {
        return errors;
    }

    StandbyKiller killer() {
        return killer;
    }

    DrainTimer timer() {
        return timer;
    }

    PluginContext context() {
        return context;
    }

    Standby standby() {
        return standby;
    }

    MirrorConfig config() {
        return config;
    }

    StandbyCollations collations() {
        return collations;
    }

    PauseGuard pause() {
        return pause;
    }

    /** Returns the standby's state for the admin endpoint. */
    Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("standby", standby.name());
        view.put("state", pause.describe());
        view.put("connections", lanes.openConnections());
        view.put("waitingStatements", statements.get());
        view.put("waitingBytes", bytes.get());
        view.putAll(counters.view());
        view.put("tables", tables.view());
        view.put("skippedTables", skipped.view(System.nanoTime()));
        view.put("boostedTables", probing.boostedView(config, System.nanoTime()));
        view.put("lastErrors", errors.view());
        view.putAll(probing.details(config));
        return view;
    }
}
