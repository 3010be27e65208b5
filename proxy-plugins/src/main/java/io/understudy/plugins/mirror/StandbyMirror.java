package io.understudy.plugins.mirror;

import io.micrometer.core.instrument.Counter;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Everything about mirroring to one standby: a queue bounded in statements, bytes and age, the connections that empty it,
 * and the counters of what did not get through. {@link #offer} is called by sessions and costs them a few atomic
 * operations; nothing here can make them wait.
 */
final class StandbyMirror {
    private static final int SWEEP_MILLIS = 200;
    /** So many statements do not wait for the timer; fewer when the queue is so short that it would be full before. */
    private static final int MANY = 1024;

    private final Standby standby;
    private final PluginContext context;
    private final MirrorMeters meters;
    private final DigestTimes times;
    private final PauseGuard pause;
    private final StandbyCollations collations;
    private final StandbyErrors errors;
    private final StandbyKiller killer;
    private final LatencyRecorder seconds;
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
    private @Nullable ScheduledFuture<?> sweeper;

    StandbyMirror(
            Standby standby,
            PluginContext context,
            MirrorMeters meters,
            MirrorConfig config,
            DigestTimes times,
            StandbyCollations collations) {
        this.standby = standby;
        this.context = context;
        this.meters = meters;
        this.config = config;
        this.times = times;
        this.concurrency = config.concurrency();
        this.order = config.order();
        this.pause = new PauseGuard(standby);
        this.collations = collations;
        this.errors = new StandbyErrors(standby.name(), context.clock(), System.nanoTime());
        this.killer = new StandbyKiller(standby.name(), standby.connector());
        this.seconds =
                context.latency("understudy_mirror_seconds", "Execution on the standby", "standby", standby.name());
        for (DropReason reason : DropReason.values()) {
            dropped.put(reason, meters.dropped(standby.name(), reason.label()));
        }
        pause.look(config.pauseAbove());
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
            lane.rest(connection);
        }
    }

    void start() {
        sweeper = context.executor()
                .scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    void stop() {
        ScheduledFuture<?> task = sweeper;
        if (task != null) {
            task.cancel(false);
        }
        connections.forEach(MirrorConnection::close);
        discardWaiting(DropReason.STANDBY_DOWN);
    }

    /** Takes effect for statements queued from now on; concurrency and order after a restart. */
    void reload(MirrorConfig changed) {
        config = changed;
    }

    String name() {
        return standby.name();
    }

    /** Queues a statement, which keeps its own reference; or drops it and counts why. Any thread, never waits. */
    void offer(MirroredStatement statement) {
        DropReason refused = refusal();
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
        MirrorLane lane = lanes.get((int) Math.floorMod(statement.sessionId(), (long) lanes.size()));
        int size = statement.bytes();
        statement.retain();
        if (!lane.offer(statement)) {
            statement.release();
            statements.decrementAndGet();
            bytes.addAndGet(-size);
            drop(DropReason.QUEUE_FULL);
            return;
        }
        if (waiting % Math.min(MANY, limits.statements() / 4 + 1) == 0 && lane.openConnections() > 0) {
            lane.wakeOne();
        }
        timer.offered();
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

    /** A statement has left the queue; false when it waited too long and has been dropped and released. */
    boolean taken(MirroredStatement statement) {
        statements.decrementAndGet();
        bytes.addAndGet(-statement.bytes());
        DropReason stale = pause.paused()
                ? pause.reason()
                : System.nanoTime() - statement.queuedNanos()
                                > config.queue().age().toNanos()
                        ? DropReason.TOO_OLD
                        : null;
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

    /** Called by connections when an execution is over. */
    void executed(MirroredStatement statement, String outcome, long nanos) {
        String rule = statement.rule().name();
        executed.computeIfAbsent(rule, key -> new ConcurrentHashMap<>())
                .computeIfAbsent(outcome, key -> meters.executed(standby.name(), rule, outcome))
                .increment();
        seconds.record(nanos);
        if (outcome.equals("ok")) {
            times.record(statement.digest(), statement.primaryNanos(), nanos);
        }
    }

    /** What waits when the last connection is lost. */
    void discardWaiting(DropReason reason) {
        for (MirrorLane lane : lanes) {
            MirroredStatement statement;
            while ((statement = lane.poll()) != null) {
                discard(statement, reason);
            }
        }
    }

    /** Drops one that waited. */
    void discard(MirroredStatement statement, DropReason reason) {
        statements.decrementAndGet();
        bytes.addAndGet(-statement.bytes());
        drop(reason);
        statement.release();
    }

    /** Sends what waits; false when nothing does. */
    boolean drain() {
        if (statements.get() == 0) {
            return false;
        }
        lanes.forEach(MirrorLane::drain);
        return true;
    }

    private void sweep() {
        pause.look(config.pauseAbove());
        long now = System.nanoTime();
        for (MirrorConnection connection : connections) {
            connection.sweep(now);
        }
        if (openConnections() == 0 && allBackingOff()) {
            discardWaiting(DropReason.STANDBY_DOWN);
        }
        drain(); // until the first connection is open there is no loop for the timer
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

    /** For the admin endpoint. */
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
        view.put("lastErrors", errors.view());
        return view;
    }
}
