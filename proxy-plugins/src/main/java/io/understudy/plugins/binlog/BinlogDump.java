package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.understudy.base.BackOff;
import io.understudy.base.NoTask;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerFlavor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
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
 * <p>Thread-safe. Each attempt has a number, and reports of older attempts are ignored.
 */
public final class BinlogDump {
    private static final Logger log = LoggerFactory.getLogger(BinlogDump.class);

    /** Interval at which an idle server sends heartbeats. */
    static final Duration HEARTBEAT = Duration.ofSeconds(5);

    /** Silence after which the connection counts as dead. */
    static final Duration SILENCE = HEARTBEAT.multipliedBy(4);

    /**
     * Rest between reads that saves nearly all wake-ups of a busy log, for subscribers that need no exact arrival
     * times.
     */
    public static final Duration REST = Duration.ofMillis(20);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final ServerConnector connector;
    private final PrimaryQueries queries;
    private final ScheduledExecutorService executor;
    private final LongSupplier nanoClock;
    private final BinlogListener listener;
    private final ServerIds serverIds;
    private final BooleanSupplier wantTables;
    private final LongSupplier rest;
    private final Bytes bytes;

    private final BackOff backOff = BackOff.exact(Duration.ofSeconds(1), LONGEST_PAUSE);
    private final AtomicInteger attempt = new AtomicInteger();
    private boolean stopped;
    private BinlogTrouble.@Nullable Reason lastReason;
    /** Whether the proxy has followed to another primary since the last start. */
    private boolean followed;
    /** Whether an attempt has failed before the first stream: one is no news, as a first connection takes its time. */
    private boolean delayed;

    private @Nullable PrimaryFacts known;
    /**
     * Where the last stream ended; null if that is of no use. Written on the stream's event loop, read after its end.
     */
    private volatile @Nullable StreamPosition reached;

    private @Nullable ServerConnection connection;
    private @Nullable BinlogStream stream;
    private Future<?> watchdog = NoTask.NONE;
    /** The next attempt, while it waits for the end of a pause. */
    private Future<?> pausing = NoTask.NONE;

    /**
     * @param wantTables whether the listener needs the names of tables
     * @param nanoClock monotonic, the clock that stamps packets
     * @param serverId server id of the connection, or 0 to choose one
     * @param rest called after each read: nanoseconds for which the log may be left unread, see
     *     {@link io.understudy.plugin.ServerStream#restNanos}
     */
    public BinlogDump(
            ServerConnector connector,
            PrimaryQueries queries,
            ScheduledExecutorService executor,
            LongSupplier nanoClock,
            long serverId,
            boolean wantTables,
            LongSupplier rest,
            BinlogListener listener) {
        this(connector, queries, executor, nanoClock, serverId, () -> wantTables, rest, Bytes.NONE, listener);
    }

    /**
     * Receiver of the events' bytes.
     *
     * @param wanted whether a subscriber needs them, even one not admitted yet: the stream must then start at an exact
     *     position
     * @param now whether the next event's bytes are needed
     */
    record Bytes(BooleanSupplier wanted, BooleanSupplier now, BinlogEvents to) {
        static final Bytes NONE = new Bytes(() -> false, () -> false, BinlogStream.UNWANTED);
    }

    /** @param wantTables called at the begin of each transaction */
    BinlogDump(
            ServerConnector connector,
            PrimaryQueries queries,
            ScheduledExecutorService executor,
            LongSupplier nanoClock,
            long serverId,
            BooleanSupplier wantTables,
            LongSupplier rest,
            Bytes bytes,
            BinlogListener listener) {
        this.connector = connector;
        this.queries = queries;
        this.executor = executor;
        this.nanoClock = nanoClock;
        this.serverIds = new ServerIds(serverId);
        this.wantTables = wantTables;
        this.rest = rest;
        this.bytes = bytes;
        this.listener = listener;
    }

    /** Starts the first attempt, on the executor. */
    public synchronized void start() {
        int number = attempt.incrementAndGet();
        pausing = submit(() -> queryFacts(number), Duration.ZERO);
        long period = HEARTBEAT.toMillis();
        watchdog = executor.scheduleWithFixedDelay(this::checkAlive, period, period, TimeUnit.MILLISECONDS);
    }

    /** Stops for good. A call of the listener that is in progress may still complete. */
    public synchronized void stop() {
        stopped = true;
        attempt.incrementAndGet();
        watchdog.cancel(false);
        closeConnection();
    }

    /** Reads the new primary from now on, without a pause. A call of the listener may wait for it. */
    void primaryChanged() {
        int number;
        synchronized (this) {
            if (stopped) {
                return;
            }
            number = attempt.incrementAndGet();
            backOff.reset();
            lastReason = null;
            followed = true;
            closeConnection();
        }
        listener.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "the primary has changed"));
        synchronized (this) {
            pausing = submit(() -> queryFacts(number), Duration.ZERO);
        }
    }

    /** Ends a pause: the primary responds again. Does not wait. */
    synchronized void primaryReachable() {
        if (stopped || stream != null) {
            return;
        }
        backOff.reset();
        if (pausing.cancel(false)) {
            int number = attempt.get();
            pausing = submit(() -> queryFacts(number), Duration.ZERO);
        }
    }

    /**
     * Runs a task on the running stream's event loop, before the next transaction begins and never within one. The task
     * is dropped if the stream ends before that, which {@link BinlogListener#onGap} reports.
     *
     * @return false if there is no stream
     */
    boolean between(Runnable task) {
        BinlogStream running;
        ServerConnection on;
        synchronized (this) {
            running = stream;
            on = connection;
        }
        if (running == null || on == null) {
            return false;
        }
        on.loop().execute(() -> running.between(task));
        return true;
    }

    /**
     * Returns the primary's facts, at the position that the stream has reached if that is known. Called on the stream's
     * event loop.
     */
    PrimaryFacts at(PrimaryFacts began) {
        StreamPosition now = reached;
        return now == null ? began : began.at(now.toString());
    }

    private boolean current(int number) {
        return attempt.get() == number;
    }

    private void queryFacts(int number) {
        synchronized (this) {
            if (!current(number)) {
                return;
            }
            pausing = NoTask.NONE; // cancelling a task that runs reports success
        }
        PrimaryFacts facts;
        try {
            facts = queries.facts();
        } catch (Exception e) {
            trouble(number, BinlogTrouble.Reason.CONNECTION, "the primary cannot be queried: " + e.getMessage());
            return;
        }
        if (!facts.logBin()) {
            trouble(number, BinlogTrouble.Reason.BINLOG_OFF, "the primary writes no binary log");
        } else if (!facts.gtids()) {
            trouble(number, BinlogTrouble.Reason.GTID_OFF, "the primary's transactions have no GTIDs");
        } else {
            connect(number, from(facts));
        }
    }

    /**
     * Returns the facts at the position where to start: where the last stream of this server ended, if a subscriber
     * needs an exact position.
     */
    private synchronized PrimaryFacts from(PrimaryFacts facts) {
        StreamPosition end = reached;
        PrimaryFacts before = known;
        return end != null && before != null && before.sameServer(facts) && bytes.wanted.getAsBoolean()
                ? facts.at(end.toString())
                : facts;
    }

    private void connect(int number, PrimaryFacts facts) {
        CompletionStage<ServerConnection> connecting;
        try {
            connecting = connector.connect();
        } catch (RuntimeException e) {
            connecting = CompletableFuture.failedFuture(e);
        }
        connecting.whenComplete((opened, failure) -> {
            if (failure != null) {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                trouble(number, BinlogTrouble.Reason.CONNECTION, String.valueOf(cause.getMessage()));
            } else if (keep(number, opened)) {
                DumpPreparation.run(
                        opened,
                        DumpCommands.preparation(
                                facts.flavor(), HEARTBEAT, bytes.wanted.getAsBoolean() ? facts.position() : null),
                        () -> request(number, facts, opened),
                        (reason, message) -> trouble(number, reason, message));
            }
        });
    }

    private synchronized boolean keep(int number, ServerConnection opened) {
        if (stopped || !current(number)) {
            opened.close();
            return false;
        }
        connection = opened;
        return true;
    }

    private void request(int number, PrimaryFacts facts, ServerConnection on) {
        ByteBuf command;
        StreamPosition position;
        try {
            position = bytes.wanted.getAsBoolean() ? StreamPosition.parse(facts.flavor(), facts.position()) : null;
            command = DumpCommands.dump(on.alloc(), facts.flavor(), serverIds.current(), facts.position());
        } catch (IllegalArgumentException e) {
            trouble(number, BinlogTrouble.Reason.MALFORMED, "the GTIDs " + facts.position() + " cannot be read");
            return;
        }
        BinlogParser parser = new BinlogParser(facts.flavor(), wantTables, transaction -> {
            if (current(number)) {
                if (position != null) {
                    position.passed(transaction);
                }
                listener.onTransaction(transaction);
            }
        });
        BinlogStream handler = new BinlogStream(
                parser,
                nanoClock.getAsLong(),
                rest,
                bytes.now,
                bytes.to,
                (reason, message) -> trouble(number, reason, message));
        boolean replaced;
        boolean expected;
        synchronized (this) {
            if (stopped || !current(number)) {
                command.release();
                return;
            }
            PrimaryFacts before = known;
            replaced = before != null && !before.sameServer(facts);
            known = facts;
            expected = followed;
            followed = false;
            stream = handler;
            reached = position;
        }
        if (replaced) {
            log.atLevel(expected ? Level.INFO : Level.WARN)
                    .log(
                            "the primary is another server than before (server id {}): its binary log is read from its"
                                    + " present position,"
                                    + " and commits in flight are not attributed",
                            facts.serverId());
        }
        log.info("reading the primary's binary log from {} as server id {}", position(facts), serverIds.current());
        if (facts.format().equalsIgnoreCase("STATEMENT")) {
            log.warn("the primary logs statements (binlog_format=STATEMENT): commits are still attributed, but which"
                    + " tables they write is not known; set binlog_format=ROW for that");
        }
        listener.onStart(facts, replaced);
        on.stream(command, handler);
    }

    /** Describes the start position for the log. */
    static String position(PrimaryFacts facts) {
        if (facts.flavor() == ServerFlavor.MYSQL) {
            return "its executed GTIDs";
        }
        return facts.position().isEmpty() ? "its beginning, as it has no transactions yet," : facts.position();
    }

    private void trouble(int number, BinlogTrouble.Reason reason, String message) {
        Duration pause;
        boolean changed;
        String remedy = BinlogErrors.remedy(reason);
        synchronized (this) {
            if (stopped || !attempt.compareAndSet(number, number + 1)) {
                return;
            }
            BinlogStream ended = stream;
            if (ended != null && ended.lived(LONGEST_PAUSE)) {
                backOff.reset();
            }
            closeConnection();
            if (reason == BinlogTrouble.Reason.SERVER || reason == BinlogTrouble.Reason.MALFORMED) {
                reached = null; // the start position may be the cause
            }
            if (reason == BinlogTrouble.Reason.SERVER_ID && serverIds.change()) {
                remedy = "another id is chosen, nothing to do";
            }
            pause = reason.lasting() ? LONGEST_PAUSE : backOff.next();
            boolean firstLoss = known == null && !delayed && reason == BinlogTrouble.Reason.CONNECTION;
            delayed = true;
            changed = !firstLoss && reason != lastReason;
            if (!firstLoss) {
                lastReason = reason;
            }
        }
        if (changed) {
            log.warn(
                    "no binary log from the primary: {}; {}; the next attempt is in {} s",
                    message,
                    remedy,
                    pause.toSeconds());
        } else {
            log.debug("no binary log from the primary: {}; the next attempt is in {} s", message, pause.toSeconds());
        }
        listener.onGap(new BinlogTrouble(reason, message + "; " + remedy));
        synchronized (this) {
            if (current(number + 1)) {
                pausing = submit(() -> queryFacts(number + 1), pause);
            }
        }
    }

    private void closeConnection() {
        ServerConnection old = connection;
        connection = null;
        stream = null;
        if (old != null) {
            old.close();
        }
    }

    private void checkAlive() {
        BinlogStream current;
        int number;
        synchronized (this) {
            current = stream;
            number = attempt.get();
            if (current != null && current.lived(HEARTBEAT)) {
                lastReason = null;
            }
        }
        if (current != null && nanoClock.getAsLong() - current.lastNanos() > SILENCE.toNanos()) {
            trouble(
                    number,
                    BinlogTrouble.Reason.CONNECTION,
                    "nothing came for " + SILENCE.toSeconds() + " s, not even a heartbeat");
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
