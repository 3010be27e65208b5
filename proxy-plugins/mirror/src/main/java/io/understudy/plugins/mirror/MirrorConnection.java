package io.understudy.plugins.mirror;

import io.understudy.base.BackOff;
import io.understudy.base.QueryFailures;
import io.understudy.plugin.ServerConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a standby through all its attempts: connects when there is a statement to send, takes statements
 * from its lane in batches, and reconnects after a growing, jittered pause when the connection is lost.
 *
 * <p>{@link #wake}, {@link #sweep} and the methods marked so are thread-safe; the rest runs on the connection's event
 * loop, or before there is one.
 */
final class MirrorConnection implements Playback.Listener, MirrorLogin.Outcome {
    private static final Logger log = LoggerFactory.getLogger(MirrorConnection.class);
    private static final int ER_QUERY_INTERRUPTED = 1317;

    /**
     * A connection lost sooner does not reset the pause: a standby that resets every connection it accepts is tried
     * less and less often.
     */
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Bytes at which a batch ends: statements that have left the queue no longer count against its bound. */
    private static final int BATCH_BYTES = 64 * 1024;

    private final StandbyMirror mirror;
    private final MirrorLane lane;
    private final Runnable begin = this::begin;
    // A login costs as much as hundreds of statements, and no session waits for a mirror.
    private final BackOff backOff = BackOff.spread(Duration.ofSeconds(1), Duration.ofSeconds(10));
    private final QueryFailures failures;
    private final StatementDeadline deadline = new StatementDeadline();
    private final MirrorLogin login;
    private final HandedOver handedOver = new HandedOver();

    private volatile @Nullable ServerConnection wire;
    private volatile boolean backingOff;
    /** True if the retry could not be scheduled; the next sweep retries. */
    private volatile boolean untimed;

    private volatile boolean closed;
    private volatile boolean idle;

    private long openedNanos;
    private int inFlight;
    private int batchSent;
    private long batchBegan;
    private boolean woken;
    private volatile @Nullable Playback playback;
    private boolean looping;
    private boolean again;

    MirrorConnection(StandbyMirror mirror, MirrorLane lane) {
        this.mirror = mirror;
        this.lane = lane;
        this.failures = new QueryFailures(() -> !mirror.standby().state().reachable());
        this.login = new MirrorLogin(mirror, deadline, this);
    }

    boolean backingOff() {
        return backingOff;
    }

    /** Called by the lane when there may be work; once for each time the connection has become idle. Thread-safe. */
    void wake() {
        idle = false;
        ServerConnection current = wire;
        try {
            if (current != null) {
                current.loop().execute(begin);
            } else {
                mirror.context().executor().execute(login::begin);
            }
        } catch (RejectedExecutionException e) {
            lost(null);
        }
    }

    @Override
    public void opened(ServerConnection connected, CollationNames names) {
        openedNanos = System.nanoTime();
        backingOff = false;
        playback = new Playback(connected, names, mirror.probing(), this);
        wire = connected;
        if (closed) {
            wire = null;
            connected.close(); // close() may have seen no connection yet
            return;
        }
        lane.opened();
        mirror.queue().drainOn(connected.loop());
        begin();
    }

    @Override
    public void notOpened(String reason) {
        disconnected(reason);
    }

    /** Sends whatever waits, even if it is less than a batch. */
    private void begin() {
        woken = true;
        next();
    }

    /**
     * Takes batches until there is no more to take. A loop, not recursion, because a statement may end before
     * {@code play} returns.
     */
    private void next() {
        again = true;
        if (looping) {
            return;
        }
        looping = true;
        try {
            while (again) {
                again = false;
                takeBatch();
            }
        } finally {
            looping = false;
        }
    }

    /**
     * Sends a batch of statements without waiting for their responses, or becomes idle. A statement that needs other
     * settings or must be prepared ends the batch, because the statements after it depend on its response.
     */
    private void takeBatch() {
        ServerConnection current = wire;
        Playback player = playback;
        if (current == null || player == null || !current.isOpen()) {
            disconnected("the standby closed the connection");
            return;
        }
        if (!woken && !lane.hasBatch() && handedOver.size() == 0) {
            becomeIdle();
            return;
        }
        woken = false;
        int taken = 0;
        int bytes = 0;
        int most = lane.batch().statements();
        while (taken < most && bytes < BATCH_BYTES && !player.awaitsStep() && wire == current) {
            MirroredStatement statement = nextFor(player);
            if (statement == null) {
                break;
            }
            if (mirror.dequeued(statement)) {
                taken++;
                bytes += statement.bytes();
                if (inFlight++ == 0) {
                    batchBegan = System.nanoTime();
                    deadline.begin(batchBegan);
                    batchSent = 0;
                }
                batchSent++;
                player.play(statement);
            }
        }
        // Statements that only waited for that response need not make up a batch.
        woken = player.awaitsStep() || bytes >= BATCH_BYTES;
        if (taken == 0) {
            becomeIdle();
        }
    }

    private void becomeIdle() {
        idle = true;
        lane.addIdle(this);
        // A statement may have been handed over before this connection became idle.
        if (handedOver.size() > 0 && lane.removeIdle(this)) {
            wake();
        }
    }

    /**
     * Returns the next statement: first those handed over, then the lane's. Statements of the lane that suit another
     * idle connection better are handed over to it.
     */
    private @Nullable MirroredStatement nextFor(Playback player) {
        MirroredStatement given = handedOver.poll();
        if (given != null) {
            return given;
        }
        MirroredStatement statement = lane.poll();
        while (statement != null && player.suits(statement.setting()) < 2) {
            MirrorConnection better = lane.better(this, statement.setting(), player.suits(statement.setting()));
            if (better == null) {
                return statement;
            }
            better.handOver(statement);
            statement = lane.poll();
        }
        return statement;
    }

    /**
     * Returns how well this connection suits a statement (see {@link Playback#suits}), or -1 if it is busy, lost or has
     * a full batch. Thread-safe.
     */
    int suits(StatementSetting setting) {
        Playback player = playback;
        int given = handedOver.size();
        boolean free = !deadline.running()
                && (idle || given > 0)
                && given < lane.batch().statements();
        return wire == null || player == null || !free ? -1 : player.suits(setting);
    }

    /** Adds a statement to the next batch. Thread-safe. */
    private void handOver(MirroredStatement statement) {
        handedOver.add(statement);
        if (wire == null) {
            giveBack(); // lost meanwhile
        } else if (lane.removeIdle(this)) {
            wake();
        }
    }

    private void giveBack() {
        MirroredStatement statement;
        while ((statement = handedOver.poll()) != null) {
            if (!lane.offer(statement)) {
                mirror.queue().discard(statement, DropReason.QUEUE_FULL);
            }
        }
    }

    /** Called when a statement has ended: the standby now executes the next one, or the batch is complete. */
    private void over(MirroredStatement statement) {
        statement.release();
        inFlight--;
        if (inFlight > 0) {
            deadline.begin(System.nanoTime());
            return;
        }
        deadline.end();
        lane.batch().completed(batchSent, System.nanoTime() - batchBegan);
        next();
    }

    @Override
    public void executed(MirroredStatement statement, String outcome, @Nullable StandbyError error, long nanos) {
        boolean killed = error != null && error.code() == ER_QUERY_INTERRUPTED && deadline.killed();
        if (error != null && !killed && outcome.equals("error")) {
            mirror.errors().failed(statement.rule().name(), statement.digest(), error, System.nanoTime());
        }
        mirror.executed(statement, killed ? "timeout" : outcome, nanos);
        over(statement);
    }

    @Override
    public void notReproducible(MirroredStatement statement, @Nullable StandbyError error) {
        if (error != null) {
            mirror.errors().failed(statement.rule().name(), statement.digest(), error, System.nanoTime());
        }
        mirror.drop(DropReason.NOT_REPRODUCIBLE);
        over(statement);
    }

    @Override
    public boolean failed(MirroredStatement statement, String reason) {
        inFlight--;
        if (wire == null) {
            // The statement before it broke the connection; the standby never began this one.
            mirror.drop(DropReason.STANDBY_DOWN);
            statement.release();
            return false;
        }
        long nanos = deadline.nanos();
        boolean overdue = nanos > timeoutNanos();
        mirror.executed(statement, overdue ? "timeout" : "error", nanos);
        statement.release();
        disconnected(reason);
        return overdue;
    }

    @Override
    public long timeoutNanos() {
        return mirror.config().timeout().toNanos();
    }

    private void disconnected(String reason) {
        ServerConnection current = wire;
        wire = null;
        deadline.end();
        giveBack();
        if (current != null) {
            lane.closed();
            current.close();
            if (System.nanoTime() - openedNanos > LASTING_NANOS) {
                backOff.reset();
                failures.succeeded();
            }
        }
        lost(reason);
    }

    /** Schedules the next attempt after a failed or lost connection. */
    private void lost(@Nullable String reason) {
        if (closed) {
            return;
        }
        long delay = backOff.next().toMillis();
        long others =
                reason != null && failures.failed() ? mirror.lostConnections().mayLog("lost") : -1;
        if (others >= 0) {
            log.warn(
                    "no mirror connection to {}: {}; next attempt in {} ms{}",
                    mirror.name(),
                    reason,
                    delay,
                    others == 0 ? "" : " (" + others + " more connections before)");
        }
        backingOff = true;
        try {
            mirror.context().executor().schedule(this::tryAgain, delay, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            untimed = true; // the executor is full or stopped; the next sweep tries again
        }
    }

    private void tryAgain() {
        backingOff = false;
        lane.addIdle(this);
    }

    /** Kills a statement that the standby has not ended in time. Called by one thread. */
    void sweep(long nowNanos) {
        if (untimed && !closed) {
            untimed = false;
            tryAgain();
        }
        ServerConnection opened = wire;
        ServerConnection current = opened == null ? login.preparing() : opened;
        if (current != null) {
            deadline.enforce(nowNanos, timeoutNanos(), mirror.killer(), current, opened == null);
        }
    }

    /** Has the standby release the user locks of the connection, if it is open. Thread-safe. */
    void releaseLocks() {
        ServerConnection current = wire;
        if (current == null) {
            return;
        }
        try {
            current.loop().execute(() -> {
                if (current.isOpen()) {
                    FirstStatements.send(current, List.of("DO RELEASE_ALL_LOCKS()"), refused -> {
                        if (refused != null) {
                            current.close(); // an old server without that function
                        }
                    });
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("the connection to {} has ended already", mirror.name());
        }
    }

    void close() {
        closed = true;
        ServerConnection current = wire;
        wire = null;
        giveBack();
        if (current != null) {
            current.close();
        }
        login.close();
    }
}
