package io.understudy.replay;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.understudy.base.RecentlyUsed;
import io.understudy.config.Transport;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import io.understudy.replay.ReplayConnection.DueStatement;
import io.understudy.replay.log.Execution;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Plays a log. A thread reads it a little ahead of time; event loops send. A statement is sent at its time whether or
 * not the server has responded to other sessions; how late it was sent is reported apart from the server's time.
 */
public final class Replay implements AutoCloseable {
    /** Statements are read this long before they are due: logs are in the order of the ends, and logins take time. */
    private static final long AHEAD_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Statements read and not yet responded to, long ones by their KiB. */
    private static final int WAITING = 20_000;

    /** Sessions whose connections are known. */
    private static final int SESSIONS = 100_000;

    private static final int KIB = 1024;
    /** The time that a stopped replay waits for a log that may never go on. */
    private static final long READER_MILLIS = 500;

    private static final long PATIENCE_MILLIS = 100;
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final int LOOPS = 2;
    private static final int WARM_STATEMENTS = 50;
    private static final double MICROS_TO_NANOS = 1_000;

    /** A connection on the loop that keeps its statements' times: none waits for another thread. */
    private record PinnedLoop(EventLoop loop, NettyServerConnector connector) {}

    private final ReplayOptions options;
    private final ReplayFigures figures;
    private final Selection selection;
    private final ReplayProgress progress;
    private final @Nullable Resume resume;
    private final NetworkTransport transport = NetworkTransport.resolve(Transport.AUTO);
    private final EventLoopGroup loops = transport.relayGroup(LOOPS, "replay");
    private final List<PinnedLoop> pinned = new ArrayList<>();
    private final PreparedBudget prepared = new PreparedBudget();
    private final Semaphore room = new Semaphore(WAITING);
    private final AtomicReference<@Nullable String> stopped = new AtomicReference<>();
    /** Logs without the ends of sessions would let it grow without end: those used last. */
    private final Map<Long, ReplayConnection> sessions = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, ReplayConnection> eldest) {
            boolean full = size() > SESSIONS;
            if (full) {
                uses.merge(eldest.getValue(), -1, Integer::sum);
            }
            return full;
        }
    };

    private final List<ReplayConnection> connections = new CopyOnWriteArrayList<>();
    /** Connections of sessions that have ended, which still have statements to send. */
    private final Set<ReplayConnection> ending = ConcurrentHashMap.newKeySet();
    /** The number of sessions that have a connection, by connection. */
    private final Map<ReplayConnection, Integer> uses = new HashMap<>();

    private volatile long played;
    private long firstMicros = LogEvent.UNKNOWN;
    private long firstNanos;
    private long lastDue;
    private int made;

    public Replay(ReplayOptions options) {
        this(options, ReplayProgress.NONE, null);
    }

    /**
     * Goes on where an earlier replay ended.
     *
     * @param checkpoint takes this one's progress
     * @param resume what the earlier one left, or null to begin
     */
    public Replay(ReplayOptions options, CheckpointFile checkpoint, @Nullable Resume resume) {
        this(options, (ReplayProgress) checkpoint, resume);
        checkpoint.onFailure(this::stop);
    }

    private Replay(ReplayOptions options, ReplayProgress progress, @Nullable Resume resume) {
        this.options = options;
        this.progress = progress;
        this.resume = resume;
        this.figures = new ReplayFigures(options.speed() > 0);
        this.selection = new Selection(options.filter());
        for (int i = 0; i < LOOPS; i++) {
            EventLoop loop = loops.next();
            pinned.add(new PinnedLoop(
                    loop,
                    new NettyServerConnector(
                            transport,
                            loop,
                            options.to(),
                            options.user(),
                            options.password(),
                            options.tls(),
                            CONNECT,
                            CONNECT)));
        }
    }

    /** Takes account of how many prepared statements the target allows to all its sessions. */
    public void limitPrepared(int most) {
        prepared.limit(most);
    }

    public ReplayFigures figures() {
        return figures;
    }

    /** Returns the log's time reached, in microseconds since the first event. */
    public long playedMicros() {
        return played;
    }

    /** Ends the replay soon. The first reason counts. Thread-safe. */
    public void stop(String reason) {
        stopped.compareAndSet(null, reason);
    }

    /** Returns why the replay was stopped, or null. */
    public @Nullable String stopped() {
        return stopped.get();
    }

    /** Reads the whole log, or to where it is damaged, and decides about each event, without a connection. */
    public void dryRun(StatementLog log) {
        Map<Long, Boolean> seen = new RecentlyUsed<>(SESSIONS);
        try {
            for (LogEvent event = log.next(); event != null && stopped.get() == null; event = log.next()) {
                if (chosen(event) && seen.put(event.threadId(), true) == null) {
                    figures.session();
                }
            }
        } catch (IOException e) {
            stop(String.valueOf(e.getMessage()));
        }
    }

    private boolean chosen(LogEvent event) {
        if (event.kind() != LogEvent.Kind.STATEMENT) {
            return false;
        }
        String reason = selection.leftOut(event);
        if (reason != null) {
            figures.leftOut(reason);
            return false;
        }
        figures.chosen(event.durationMicros());
        return true;
    }

    /**
     * Plays the log to its end, to where it is damaged, or until stopped. A stop does not wait for a log that has
     * nothing to read yet, as a stream without statements.
     */
    public void run(StatementLog log) throws InterruptedException {
        warmUp();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread reader = new Thread(
                () -> {
                    try {
                        read(log);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                },
                "replay-log");
        reader.setDaemon(true);
        reader.start();
        while (reader.isAlive() && stopped.get() == null) {
            reader.join(PATIENCE_MILLIS);
        }
        if (stopped.get() != null) {
            abort();
        }
        reader.join(READER_MILLIS);
        Throwable thrown = failure.get();
        if (thrown != null && !(thrown instanceof IOException)) {
            throw new IllegalStateException("reading the log failed", thrown);
        }
        finish();
        if (thrown != null) {
            stop(String.valueOf(thrown.getMessage()));
        }
    }

    /** Connects and executes on each loop before time counts: the loading of classes would make the first ones late. */
    private void warmUp() throws InterruptedException {
        ReplayFigures uncounted = new ReplayFigures(false);
        LogEvent event = new LogEvent(
                LogEvent.Kind.STATEMENT,
                0,
                "",
                null,
                "SELECT 1".getBytes(StandardCharsets.US_ASCII),
                LogEvent.UNKNOWN,
                LogEvent.UNKNOWN,
                0,
                null,
                null,
                null,
                null);
        for (PinnedLoop on : pinned) {
            Semaphore over = new Semaphore(0);
            Playing warming = new Playing(
                    options.readsOnly(),
                    prepared,
                    uncounted,
                    ReplayProgress.NONE,
                    over::release,
                    this::isStopped,
                    this::stop);
            ReplayConnection connection =
                    new ReplayConnection(on.loop(), on.connector(), List.of(), warming, ended -> {});
            for (int i = 0; i < WARM_STATEMENTS; i++) {
                connection.add(new DueStatement(event, 0, System.nanoTime(), 1));
            }
            for (boolean ready = false; !ready && stopped.get() == null; ) {
                ready = over.tryAcquire(WARM_STATEMENTS, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            }
            connection.abort();
        }
    }

    private void read(StatementLog log) throws IOException, InterruptedException {
        boolean behind = resume != null;
        for (LogEvent event = log.next(); event != null && stopped.get() == null; event = log.next()) {
            long position = progress.read(event);
            if (behind && resume != null && position > resume.end()) {
                behind = false;
                progress.caughtUp();
            }
            if (event.kind() == LogEvent.Kind.QUIT) {
                quit(event.threadId());
                progress.quit(event.threadId(), position);
                if (!behind && resume != null) {
                    resume.settings(event.threadId()); // not for a later session with that number
                }
            } else if (behind && resume != null && resume.isDone(event.threadId(), position)) {
                skip(event);
            } else if (chosen(event)) {
                play(event, position, behind);
            }
        }
    }

    private void skip(LogEvent event) {
        if (event.kind() == LogEvent.Kind.STATEMENT && selection.leftOut(event) == null) {
            figures.playedBefore();
        }
    }

    private void abort() {
        connections.forEach(ReplayConnection::abort);
        ending.forEach(ReplayConnection::abort);
    }

    private void finish() throws InterruptedException {
        if (stopped.get() != null) {
            abort();
        } else {
            connections.forEach(ReplayConnection::end);
        }
        while (!room.tryAcquire(WAITING, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
            if (stopped.get() != null) {
                abort();
                if (!room.tryAcquire(WAITING, 1, TimeUnit.SECONDS)) {
                    return; // a statement is still running; closing ends it
                }
                break;
            }
        }
        room.release(WAITING);
    }

    /** @param overdue whether its time has passed before this replay began */
    private void play(LogEvent event, long position, boolean overdue) throws InterruptedException {
        long due = overdue ? System.nanoTime() : readable(event, due(event));
        while (options.speed() > 0 && due - System.nanoTime() > AHEAD_NANOS && stopped.get() == null) {
            LockSupport.parkNanos(Math.min(due - System.nanoTime() - AHEAD_NANOS, TimeUnit.MILLISECONDS.toNanos(100)));
        }
        int cost = cost(event);
        while (!room.tryAcquire(cost, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
            if (stopped.get() != null) {
                return;
            }
        }
        ReplayConnection to = connection(event.threadId());
        progress.handed(event.threadId(), position);
        to.add(new DueStatement(event, position, due, cost));
    }

    /**
     * Returns the time at which a statement can be sent. Logs have it at its end: one that took longer than what is
     * read ahead is read after its time.
     */
    private long readable(LogEvent event, long due) {
        if (options.speed() == 0 || event.durationMicros() == LogEvent.UNKNOWN) {
            return due;
        }
        long late = (long) (event.durationMicros() * MICROS_TO_NANOS / options.speed()) - AHEAD_NANOS;
        if (late <= 0) {
            return due;
        }
        figures.lateByLog(late);
        return due + late;
    }

    private static int cost(LogEvent event) {
        Execution execution = event.execution();
        long bytes = event.text().length + (execution == null ? 0L : execution.payload().length);
        return (int) Math.min(WAITING, 1 + bytes / KIB);
    }

    private long due(LogEvent event) {
        long now = System.nanoTime();
        if (options.speed() == 0) {
            return now;
        }
        long start = event.startMicros();
        if (firstMicros == LogEvent.UNKNOWN) {
            if (start == LogEvent.UNKNOWN) {
                return now;
            }
            firstMicros = start;
            firstNanos = now + AHEAD_NANOS;
        }
        if (start == LogEvent.UNKNOWN) {
            return lastDue; // with the one before it
        }
        played = start - firstMicros;
        lastDue = firstNanos + (long) (played * MICROS_TO_NANOS / options.speed());
        return lastDue;
    }

    private boolean isStopped() {
        return stopped.get() != null;
    }

    private ReplayConnection connection(long threadId) throws InterruptedException {
        ReplayConnection known = sessions.get(threadId);
        if (known != null) {
            return known;
        }
        // An earlier session with that number: its progress is under the same one.
        while (progress.isBusy(threadId) && stopped.get() == null) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        figures.session();
        awaitPlace();
        ReplayConnection chosen;
        if (connections.size() + ending.size() < options.connections() || connections.isEmpty()) {
            chosen = connect(threadId);
        } else if (options.readsOnly()) {
            // Reads of several sessions may share a connection: each names its schema.
            chosen = connections.get((int) Math.floorMod(threadId, (long) connections.size()));
        } else {
            stop("the log has more than " + options.connections()
                    + " sessions at a time, which cannot share connections"
                    + " when everything is played; raise --sessions");
            chosen = connections.get(0);
        }
        sessions.put(threadId, chosen);
        uses.merge(chosen, 1, Integer::sum);
        return chosen;
    }

    /** Waits for sessions that have ended, where no connection can be opened or shared before. */
    private void awaitPlace() throws InterruptedException {
        while (connections.size() + ending.size() >= options.connections()
                && (connections.isEmpty() || !options.readsOnly())
                && !ending.isEmpty()
                && stopped.get() == null) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private ReplayConnection connect(long threadId) {
        PinnedLoop on = pinned.get(made++ % LOOPS);
        List<byte[]> settings = resume == null ? List.of() : resume.settings(threadId);
        Playing playing = new Playing(
                options.readsOnly(), prepared, figures, progress, room::release, this::isStopped, this::stop);
        ReplayConnection connection =
                new ReplayConnection(on.loop(), on.connector(), settings, playing, ending::remove);
        connections.add(connection);
        return connection;
    }

    private void quit(long threadId) {
        ReplayConnection known = sessions.remove(threadId);
        if (known != null && uses.merge(known, -1, Integer::sum) <= 0) {
            uses.remove(known);
            ending.add(known);
            connections.remove(known);
            known.end();
        }
    }

    @Override
    public void close() {
        abort();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        transport.closeNames();
    }
}
