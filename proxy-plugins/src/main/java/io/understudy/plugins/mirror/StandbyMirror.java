package io.understudy.plugins.mirror;

import io.micrometer.core.instrument.Counter;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import io.understudy.plugins.mirror.warmth.Floor;
import io.understudy.sql.TableName;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
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
    private final MirrorMeters meters;
    private final DigestTimes times;
    private final PauseGuard pause;
    private final StandbyCollations collations;
    private final RecentDdl schemaChanges;
    private final StandbyTables tables;
    private final TableLeases skipped = new TableLeases();
    private final StandbyErrors errors;
    private final StandbyKiller killer;
    private final LatencyRecorder seconds;
    private final StandbyProbes probing;
    private final Floor floor;
    private final Map<DropReason, Counter> dropped = new EnumMap<>(DropReason.class);
    /** By rule and outcome. */
    private final ConcurrentMap<String, ConcurrentMap<String, Counter>> executed = new ConcurrentHashMap<>();

    private final List<MirrorLane> lanes = new ArrayList<>();
    private final List<MirrorConnection> connections = new ArrayList<>();
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final DrainTimer timer = new DrainTimer(this::drain);
    private final int concurrency;
    private final MirrorConfig.Order order;

    private volatile MirrorConfig config;
    private volatile boolean stopped;
    private @Nullable ScheduledFuture<?> sweeper;

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
                StandbyTables.thread(standby.name()));
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
            Executor queryExecutor) {
        this.floor = floor;
        this.standby = standby;
        this.context = context;
        this.meters = meters;
        this.config = config;
        this.times = times;
        this.concurrency = config.concurrency();
        this.order = config.order();
        this.pause = new PauseGuard(standby);
        this.collations = collations;
        this.schemaChanges = schemaChanges;
        this.tables = new StandbyTables(
                dictionary, queryExecutor, () -> this.config.pureFunctions(), schemaChanges, this::appliedNanos);
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
        this.seconds =
                context.latency("understudy_mirror_seconds", "Execution on the standby", "standby", standby.name());
        this.probing = new StandbyProbes(standby, meters, config, floor, queryExecutor, System.nanoTime());
        for (DropReason reason : DropReason.values()) {
            dropped.put(reason, meters.dropped(standby.name(), reason.label()));
        }
        pause.check(config.pauseAbove());
        meters.waiting(standby.name(), statements::get, bytes::get);
        boolean ordered = order == MirrorConfig.Order.SESSION;
        int laneCount = ordered ? concurrency : 1;
        for (int i = 0; i < laneCount; i++) {
            lanes.add(new MirrorLane(config.queue().statements()));
        }
        for (int i = 0; i < concurrency; i++) {
            MirrorLane lane = lanes.get(i % laneCount);
            MirrorConnection connection = new MirrorConnection(this, lane);
            connections.add(connection);
            lane.add(connection);
            lane.addIdle(connection);
        }
    }

    void start() {
        sweeper = context.executor()
                .scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    void stop() {
        stopped = true;
        ScheduledFuture<?> task = sweeper;
        if (task != null) {
            task.cancel(false);
        }
        connections.forEach(MirrorConnection::close);
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
        refused = refusal(statement, verdict);
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
        MirrorLane lane = lanes.get((int) Math.floorMod(statement.sessionId(), (long) lanes.size()));
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

    /**
     * Returns why a statement must not be sent by what its names are, or null; the reason may be in the last errors.
     */
    private @Nullable DropReason refusal(MirroredStatement statement, StandbyTables.Verdict verdict) {
        if (skipped.covers(statement.tables(), System.nanoTime())) {
            skipped.count(statement.tables());
            return DropReason.TABLE_SKIPPED;
        }
        return switch (verdict) {
            case READS, WAIT -> null;
            case VIEW -> DropReason.VIEW;
            case UNKNOWN -> {
                StandbyError error = tables.errorOf(statement.tables());
                if (error != null) {
                    errors.failed(statement.rule().name(), statement.digest(), error, System.nanoTime());
                }
                yield DropReason.TABLE_UNKNOWN;
            }
        };
    }

    /** As {@link #refusal(MirroredStatement, StandbyTables.Verdict)}, when there is no time left to ask the standby. */
    private @Nullable DropReason refusalOfQueued(MirroredStatement statement) {
        StandbyTables.Verdict verdict = tables.verdict(statement.tables());
        // Its names were known when it was queued; since then an outage or a reload made the mirror forget them.
        return verdict == StandbyTables.Verdict.WAIT ? DropReason.TABLE_UNKNOWN : refusal(statement, verdict);
    }

    /** Called when a statement has waited for its names to be known. */
    private void decided(MirroredStatement statement, StandbyTables.Verdict verdict) {
        DropReason refused = refusal(statement, verdict);
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
        connections.forEach(MirrorConnection::releaseLocks);
    }

    private @Nullable DropReason refusal() {
        if (pause.paused()) {
            return pause.reason();
        }
        return openConnections() == 0 && allBackingOff() ? DropReason.STANDBY_DOWN : null;
    }

    private int openConnections() {
        int open = 0;
        for (MirrorLane lane : lanes) {
            open += lane.openConnections();
        }
        return open;
    }

    private boolean allBackingOff() {
        for (MirrorConnection connection : connections) {
            if (!connection.backingOff()) {
                return false;
            }
        }
        return true;
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
                        : refusalOfQueued(statement);
        if (stale != null) {
            drop(stale);
            statement.release();
            return false;
        }
        return true;
    }

    void drop(DropReason reason) {
        Counter counter = dropped.get(reason);
        if (counter != null) {
            counter.increment();
        }
    }

    /** Called by connections when an execution has ended. */
    void executed(MirroredStatement statement, String outcome, long nanos) {
        probing.executed();
        String rule = statement.rule().name();
        executed.computeIfAbsent(rule, key -> new ConcurrentHashMap<>())
                .computeIfAbsent(outcome, key -> meters.executed(standby.name(), rule, outcome))
                .increment();
        seconds.record(nanos);
        if (outcome.equals("ok")) {
            times.record(statement.digest(), statement.primaryNanos(), nanos);
        }
    }

    /** Drops all queued statements. */
    void discardWaiting(DropReason reason) {
        for (MirrorLane lane : lanes) {
            MirroredStatement statement;
            while ((statement = lane.poll()) != null) {
                discard(statement, reason);
            }
        }
        MirroredStatement statement;
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
        lanes.forEach(MirrorLane::drain);
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
        for (MirrorConnection connection : connections) {
            connection.sweep(now);
        }
        if (openConnections() == 0 && allBackingOff()) {
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
        view.put("connections", openConnections());
        view.put("waitingStatements", statements.get());
        view.put("waitingBytes", bytes.get());
        Map<String, Long> drops = new LinkedHashMap<>();
        dropped.forEach((reason, counter) -> drops.put(reason.label(), (long) counter.count()));
        view.put("dropped", drops);
        Map<String, Long> done = new java.util.TreeMap<>();
        executed.values()
                .forEach(rule ->
                        rule.forEach((outcome, counter) -> done.merge(outcome, (long) counter.count(), Long::sum)));
        view.put("executed", done);
        view.put("tables", tables.view());
        view.put("skippedTables", skipped.view(System.nanoTime()));
        view.put("boostedTables", probing.boostedView(config, System.nanoTime()));
        view.put("lastErrors", errors.view());
        view.putAll(probing.details(config));
        return view;
    }
}
