package io.understudy.plugins.binlog;

import io.understudy.base.BackOff;
import io.understudy.base.NoTask;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A dump connection to the primary; plugins share one through {@link BinlogFeed}. It queries the primary, connects and
 * streams, and starts anew after a growing pause when the stream ends.
 *
 * <p>A new stream starts at the primary's current position and not where the last one ended, because the arrival of old
 * events says nothing about when they were written; the missed part is reported as a gap. Only while a subscriber needs
 * the events' bytes does it continue where the last one ended. It retains nothing of the stream but the position.
 *
 * <p>Thread-safe. Each {@link DumpAttempt} is an object of its own, and reports of earlier ones are ignored.
 */
public final class BinlogDump {
    private static final Logger log = LoggerFactory.getLogger(BinlogDump.class);

    /** Interval at which an idle server sends heartbeats to a mere reader. */
    static final Duration HEARTBEAT = Duration.ofSeconds(5);

    /** As above, to a semi-synchronous replica: four missing ones are noticed within a second. */
    static final Duration SHORT_HEARTBEAT = Duration.ofMillis(200);

    /**
     * Rest between reads that saves nearly all wake-ups of a busy log, for subscribers that need no exact arrival
     * times.
     */
    public static final Duration REST = Duration.ofMillis(20);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    /** After a refusal that somebody has to mend, as a privilege: who has granted it looks at once. */
    private static final Duration MENDING_PAUSE = Duration.ofSeconds(10);
    /** Longest pause of a replica for which commits may wait. */
    private static final Duration REPLICA_PAUSE = Duration.ofSeconds(2);

    private final DumpSettings settings;
    private final ScheduledExecutorService executor;
    private final BackOff backOff = BackOff.exact(Duration.ofSeconds(1), LONGEST_PAUSE);

    /** The attempt that runs, or waits for the end of a pause; after the stop, one that never begins. */
    private volatile DumpAttempt present;
    /** The primary's facts when the last stream began; null before the first. Written on its event loop. */
    private volatile @Nullable PrimaryFacts began;
    /** Where that stream ended, or is now. */
    private volatile StreamPosition reached = StreamPosition.UNKNOWN;

    private boolean stopped;
    private BinlogTrouble.@Nullable Reason lastReason;
    /** Whether the proxy has followed to another primary since the last start. */
    private boolean followed;

    private final DumpNews news;

    private Future<?> watchdog = NoTask.NONE;
    /** The next attempt, while it waits for the end of a pause. */
    private Future<?> pausing = NoTask.NONE;

    /** A dump connection for all events and tables, which leaves the log unread for {@link #REST} after each read. */
    public BinlogDump(
            ServerConnector connector,
            PrimaryQueries queries,
            ScheduledExecutorService executor,
            BinlogEvents events,
            BinlogListener listener) {
        this(DumpSettings.of(connector, queries, new Bytes(() -> false, () -> true, events), null, listener), executor);
    }

    /**
     * Receiver of the events' bytes.
     *
     * @param wanted whether a subscriber needs them, even one not admitted yet: the stream must then start at an exact
     *     position
     * @param now whether the next event's bytes are needed
     */
    record Bytes(BooleanSupplier wanted, BooleanSupplier now, BinlogEvents to) {}

    /**
     * A dump connection that can be a semi-synchronous replica's, reads events as they arrive, and begins where
     * {@code replica} says.
     */
    public BinlogDump(
            ServerConnector connector,
            PrimaryQueries queries,
            ScheduledExecutorService executor,
            SemiSyncReplica replica,
            BinlogEvents events,
            BinlogListener listener) {
        this(
                DumpSettings.of(connector, queries, new Bytes(() -> true, () -> true, events), replica, listener),
                executor);
    }

    BinlogDump(DumpSettings settings, ScheduledExecutorService executor) {
        this.settings = settings;
        this.executor = executor;
        this.news = new DumpNews(settings.queries()::isUnreachable, settings.nanoClock());
        this.present = new DumpAttempt(this, settings);
    }

    /** Starts the first attempt, on the executor. */
    public synchronized void start() {
        pausing = submit(present, Duration.ZERO);
        long period = settings.heartbeat().toMillis();
        watchdog = executor.scheduleWithFixedDelay(this::checkAlive, period, period, TimeUnit.MILLISECONDS);
    }

    /** Stops for good. A call of the listener that is in progress may still complete. */
    public synchronized void stop() {
        stopped = true;
        watchdog.cancel(false);
        next();
    }

    /** Ends the present attempt. Returns the next, which has not begun. */
    private DumpAttempt next() {
        DumpAttempt ended = present;
        DumpAttempt next = new DumpAttempt(this, settings);
        present = next;
        ended.close();
        return next;
    }

    /** Ends the stream if there is one, and begins another at once. The listener is not told of a gap. */
    public synchronized void again() {
        if (!stopped) {
            pausing.cancel(false);
            pausing = submit(next(), Duration.ZERO);
        }
    }

    /** Reads the new primary from now on, without a pause. A call of the listener may wait for it. */
    public void primaryChanged() {
        DumpAttempt next;
        synchronized (this) {
            if (stopped) {
                return;
            }
            backOff.reset();
            lastReason = null;
            news.primaryChanged();
            followed = true;
            next = next();
        }
        settings.listener().onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "the primary has changed"));
        synchronized (this) {
            pausing = submit(next, Duration.ZERO);
        }
    }

    /** Ends a pause: the primary responds again. Does not wait. */
    public synchronized void primaryReachable() {
        news.outageEnded();
        if (stopped || present.stream() != null) {
            return;
        }
        backOff.reset();
        if (pausing.cancel(false)) {
            pausing = submit(present, Duration.ZERO);
        }
    }

    /**
     * Runs a task on the running stream's event loop, before the next transaction begins and never within one. The task
     * is dropped if the stream ends before that, which {@link BinlogListener#onGap} reports.
     *
     * @return false if there is no stream
     */
    synchronized boolean between(Runnable task) {
        return present.between(task);
    }

    /**
     * Returns the primary's facts, at the position that the stream has reached if that is known. Called on the stream's
     * event loop.
     */
    PrimaryFacts at(PrimaryFacts facts) {
        return reached.of(facts);
    }

    /** Returns whether the present stream has brought a transaction, a heartbeat or the mark. Does not wait. */
    public synchronized boolean flows() {
        BinlogStream reading = present.stream();
        return reading != null && reading.flows();
    }

    /** Returns whether the attempt has neither ended nor been replaced. */
    boolean isPresent(DumpAttempt attempt) {
        return present == attempt;
    }

    /** Called when an attempt begins. Returns false if it has been replaced. */
    synchronized boolean begins(DumpAttempt attempt) {
        if (!isPresent(attempt)) {
            return false;
        }
        pausing = NoTask.NONE; // cancelling a task that runs reports success
        return true;
    }

    /**
     * Returns the facts at the position where to start: where a replica says; else where the last stream of this server
     * ended, if a subscriber needs an exact position; but from the begin of a log that has begun anew.
     */
    PrimaryFacts from(PrimaryFacts facts) throws SQLException {
        SemiSyncReplica replica = settings.replica();
        if (replica != null) {
            return replica.start(facts);
        }
        PrimaryFacts before = began;
        return before != null
                        && !facts.position().isEmpty()
                        && before.sameServer(facts)
                        && settings.bytes().wanted().getAsBoolean()
                ? reached.of(facts)
                : facts;
    }

    /** Called when an attempt has connected. Returns false, and closes the connection, if it has been replaced. */
    synchronized boolean keeps(DumpAttempt attempt, ServerConnection opened) {
        if (!isPresent(attempt)) {
            opened.close();
            return false;
        }
        attempt.became(opened, null);
        return true;
    }

    /** Called when an attempt requests its stream. Returns false if it has been replaced. */
    boolean streams(
            DumpAttempt attempt,
            ServerConnection on,
            BinlogStream stream,
            PrimaryFacts facts,
            StreamPosition position) {
        boolean otherServer;
        boolean expected;
        synchronized (this) {
            if (!isPresent(attempt)) {
                return false;
            }
            PrimaryFacts before = began;
            otherServer = before != null && !before.sameServer(facts);
            began = facts;
            reached = position;
            expected = followed;
            followed = false;
            attempt.became(on, stream);
        }
        if (otherServer) {
            log.atLevel(expected ? Level.INFO : Level.WARN)
                    .log(
                            "the primary is another server than before (server id {}): its binary log is read from {},"
                                    + " and commits in flight are not attributed",
                            facts.serverId(),
                            DumpAttempt.position(facts));
        }
        return true;
    }

    /** Logs that a stream begins, unless the primary's outage, which has been logged, was all that kept it away. */
    synchronized void began(String position) {
        news.streamBegan(position, settings.serverIds().current());
    }

    /** Called when an attempt, or its stream, has ended. Only the first call for an attempt counts. */
    void ended(DumpAttempt attempt, BinlogTrouble.Reason reason, String message) {
        Duration pause;
        String remedy = BinlogErrors.remedy(reason, message);
        boolean telling;
        DumpAttempt next;
        synchronized (this) {
            if (!isPresent(attempt)) {
                return;
            }
            BinlogStream reading = attempt.stream();
            if (reading != null && reading.lived(LONGEST_PAUSE)) {
                backOff.reset();
            }
            next = next();
            if (reason == BinlogTrouble.Reason.SERVER || reason == BinlogTrouble.Reason.MALFORMED) {
                reached = StreamPosition.UNKNOWN; // the start position may be the cause
            }
            if (reason == BinlogTrouble.Reason.SERVER_ID && settings.serverIds().change()) {
                remedy = "another id is chosen, nothing to do";
            }
            pause = reason.lasting() ? MENDING_PAUSE : backOff.next();
            if (settings.replica() != null && pause.compareTo(REPLICA_PAUSE) > 0) {
                pause = REPLICA_PAUSE;
            }
            boolean changed = reason != lastReason;
            lastReason = reason;
            telling = reason == BinlogTrouble.Reason.CONNECTION
                    ? news.connectionFailed(changed && began != null ? message : null)
                    : changed && news.refused();
        }
        if (telling) {
            log.warn(
                    "no binary log from the primary: {}; {}; the next attempt is in {} s",
                    message,
                    remedy,
                    pause.toSeconds());
        } else {
            log.debug("no binary log from the primary: {}; the next attempt is in {} s", message, pause.toSeconds());
        }
        settings.listener().onGap(new BinlogTrouble(reason, message, remedy));
        synchronized (this) {
            if (isPresent(next)) {
                pausing = submit(next, pause);
            }
        }
    }

    private void checkAlive() {
        DumpAttempt attempt = present;
        Duration patience;
        boolean silent;
        synchronized (this) {
            BinlogStream reading = attempt.stream();
            if (reading == null) {
                return;
            }
            if (reading.lived(settings.heartbeat())) {
                lastReason = null;
            }
            patience = settings.silence(reading.flows());
            silent = settings.nanoClock().getAsLong() - reading.lastNanos() > patience.toNanos();
        }
        if (silent) {
            ended(
                    attempt,
                    BinlogTrouble.Reason.CONNECTION,
                    "nothing came for " + patience.toMillis() + " ms, not even a heartbeat");
        }
    }

    private Future<?> submit(Runnable task, Duration delay) {
        try {
            return executor.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("the proxy is stopping: the binary log is not read again");
            return NoTask.NONE;
        }
    }
}
