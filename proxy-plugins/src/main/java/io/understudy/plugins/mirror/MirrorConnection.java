package io.understudy.plugins.mirror;

import io.understudy.base.BackOff;
import io.understudy.plugin.ServerConnection;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a standby through its life: connects when there is something to send, takes statements from its lane a
 * batch at a time, backs off with jitter when it is lost. Everything but {@link #wake}, {@link #sweep} and {@link #close} runs on
 * the connection's event loop, or before there is one.
 */
final class MirrorConnection implements Playback.Ending {
    private static final Logger log = LoggerFactory.getLogger(MirrorConnection.class);
    /** What the standby gets beyond the timeout to end a statement by itself. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** What it gets beyond that to obey a KILL QUERY, before its connection is killed. */
    private static final long KILL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int ER_QUERY_INTERRUPTED = 1317;

    /** One that is lost sooner is no success: a standby that resets what it accepts is left alone for longer each time. */
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A batch ends when it is so long: what has left the queue is not in its bound any more. */
    private static final int BATCH_BYTES = 64 * 1024;

    private final StandbyMirror mirror;
    private final MirrorLane lane;
    private final Runnable begin = this::begin;
    // A login costs as much as hundreds of statements, and nobody waits for a mirror.
    private final BackOff backOff = BackOff.spread(Duration.ofSeconds(1), Duration.ofSeconds(10));

    private volatile @Nullable ServerConnection wire;
    /** Logged in, but its first statements are not answered yet; {@link #busySinceNanos} counts for it too. */
    private volatile @Nullable ServerConnection preparing;

    private volatile boolean backingOff;
    private volatile boolean closed;
    /** When the statement that is being executed there began, or 0. */
    private volatile long busySinceNanos;

    /** The {@link #busySinceNanos} of the statement that is being killed, or 0. */
    private volatile long killedNanos;

    /** Statements that others have handed over, because this connection has their schema. */
    private final Queue<MirroredStatement> handedOver = new ConcurrentLinkedQueue<>();

    private final AtomicInteger handed = new AtomicInteger();
    private volatile boolean resting;

    private long openedNanos;
    private int unanswered;
    private int batchSent;
    private long batchBegan;
    private boolean woken;
    private volatile @Nullable Playback playback;
    private boolean going;
    private boolean goOn;

    MirrorConnection(StandbyMirror mirror, MirrorLane lane) {
        this.mirror = mirror;
        this.lane = lane;
    }

    boolean backingOff() {
        return backingOff;
    }

    /** There may be something to do. Called once for each time the connection has rested. */
    void wake() {
        resting = false;
        ServerConnection current = wire;
        try {
            if (current != null) {
                current.loop().execute(begin);
            } else {
                mirror.context().executor().execute(this::connect);
            }
        } catch (RejectedExecutionException e) {
            lost(null);
        }
    }

    private void connect() {
        if (closed) {
            return;
        }
        mirror.collations().names().whenComplete((names, unknown) -> {
            if (names == null) {
                lost(unknown == null ? "no reason given" : String.valueOf(unknown.getMessage()));
            } else {
                connect(names);
            }
        });
    }

    private void connect(CollationNames names) {
        if (closed) {
            return;
        }
        mirror.standby().connector().connect().whenComplete((connected, failure) -> {
            if (connected == null) {
                lost(failure == null ? "no reason given" : String.valueOf(failure.getMessage()));
            } else {
                prepare(connected, names);
            }
        });
    }

    private void prepare(ServerConnection connected, CollationNames names) {
        if (closed) {
            connected.close();
            return;
        }
        busySinceNanos = System.nanoTime();
        preparing = connected;
        FirstStatements.send(connected, ReadOnlySession.statements(connected.flavor(), mirror.config()), refused -> {
            preparing = null;
            busySinceNanos = 0;
            if (refused == null) {
                opened(connected, names);
            } else {
                connected.close();
                lost(refused);
            }
        });
    }

    private void opened(ServerConnection connected, CollationNames names) {
        openedNanos = System.nanoTime();
        backingOff = false;
        playback = new Playback(connected, names, this);
        wire = connected;
        lane.opened();
        mirror.timer().runOn(connected.loop());
        begin();
    }

    /** Takes what there is, be it less than a batch. */
    private void begin() {
        woken = true;
        next();
    }

    /** Goes on with the next batch; without recursion, since a statement may end before {@code play} comes back. */
    private void next() {
        goOn = true;
        if (going) {
            return;
        }
        going = true;
        try {
            while (goOn) {
                goOn = false;
                takeBatch();
            }
        } finally {
            going = false;
        }
    }

    /**
     * Sends statements that are still worth it, one behind the other without waiting for answers, or rests. One that needs
     * another setting or is to be prepared ends the batch, because what comes behind depends on the answer.
     */
    private void takeBatch() {
        ServerConnection current = wire;
        Playback player = playback;
        if (current == null || player == null || !current.isOpen()) {
            disconnected("the standby closed the connection");
            return;
        }
        if (!woken && !lane.hasBatch() && handed.get() == 0) {
            rest();
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
            if (mirror.taken(statement)) {
                taken++;
                bytes += statement.bytes();
                if (unanswered++ == 0) {
                    batchBegan = System.nanoTime();
                    busySinceNanos = batchBegan;
                    batchSent = 0;
                }
                batchSent++;
                player.play(statement);
            }
        }
        // What only had to wait for an answer goes on after it, however little it is.
        woken = player.awaitsStep() || bytes >= BATCH_BYTES;
        if (taken == 0) {
            rest();
        }
    }

    private void rest() {
        resting = true;
        lane.rest(this);
        // One may have been handed over since the last look.
        if (handed.get() > 0 && lane.unrest(this)) {
            wake();
        }
    }

    /** What was handed over comes first; of the lane's, what another connection that is free has the schema for goes there. */
    private @Nullable MirroredStatement nextFor(Playback player) {
        MirroredStatement given = handedOver.poll();
        if (given != null) {
            handed.decrementAndGet();
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

    /** How well this connection suits a statement, see {@link Playback#suits}; -1 while it is busy, lost or has enough. Any thread. */
    int suits(StatementSetting setting) {
        Playback player = playback;
        int given = handed.get();
        boolean free = busySinceNanos == 0
                && (resting || given > 0)
                && given < lane.batch().statements();
        return wire == null || player == null || !free ? -1 : player.suits(setting);
    }

    /** Takes a statement for the next batch. Any thread. */
    private void handOver(MirroredStatement statement) {
        handedOver.add(statement);
        handed.incrementAndGet();
        if (wire == null) {
            giveBack(); // lost meanwhile
        } else if (lane.unrest(this)) {
            wake();
        }
    }

    private void giveBack() {
        MirroredStatement statement;
        while ((statement = handedOver.poll()) != null) {
            handed.decrementAndGet();
            if (!lane.offer(statement)) {
                mirror.discard(statement, DropReason.QUEUE_FULL);
            }
        }
    }

    /** One has ended: the one behind it is being executed now, or the batch is over. */
    private void over(MirroredStatement statement) {
        statement.release();
        unanswered--;
        if (unanswered > 0) {
            busySinceNanos = System.nanoTime();
            return;
        }
        busySinceNanos = 0;
        lane.batch().took(batchSent, System.nanoTime() - batchBegan);
        next();
    }

    @Override
    public void executed(MirroredStatement statement, String outcome, @Nullable StandbyError error, long nanos) {
        boolean killed = error != null
                && error.code() == ER_QUERY_INTERRUPTED
                && killedNanos != 0
                && killedNanos == busySinceNanos;
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
    public void failed(MirroredStatement statement, String reason) {
        unanswered--;
        if (wire == null) {
            // The one before it took the connection along; the standby has not begun this one.
            mirror.drop(DropReason.STANDBY_DOWN);
            statement.release();
            return;
        }
        long nanos = System.nanoTime() - busySinceNanos;
        boolean overdue = nanos > mirror.config().timeout().toNanos();
        mirror.executed(statement, overdue ? "timeout" : "error", nanos);
        statement.release();
        disconnected(reason);
    }

    private void disconnected(String reason) {
        ServerConnection current = wire;
        wire = null;
        busySinceNanos = 0;
        giveBack();
        if (current != null) {
            lane.closed();
            current.close();
            if (System.nanoTime() - openedNanos > LASTING_NANOS) {
                backOff.reset();
            }
        }
        lost(reason);
    }

    /** No connection; the next attempt comes after a while that grows and varies. */
    private void lost(@Nullable String reason) {
        if (closed) {
            return;
        }
        boolean first = backOff.fresh();
        long delay = backOff.next().toMillis();
        if (first && reason != null) {
            log.warn("mirror connection to {} lost: {}; next attempt in {} ms", mirror.name(), reason, delay);
        }
        backingOff = true;
        try {
            mirror.context().executor().schedule(this::tryAgain, delay, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.error("mirror connection to {} given up: the plugin's executor is full or stopped", mirror.name());
        }
    }

    private void tryAgain() {
        backingOff = false;
        lane.rest(this);
    }

    /** Ends a statement that the standby does not end by itself, the first ones of a connection too. Any thread. */
    void sweep(long nowNanos) {
        long since = busySinceNanos;
        ServerConnection current = wire;
        boolean first = current == null;
        if (first) {
            current = preparing;
        }
        if (since == 0 || current == null) {
            return;
        }
        long over = nowNanos - since - mirror.config().timeout().toNanos() - GRACE_NANOS;
        if (over > (first ? 0 : KILL_NANOS)) {
            mirror.killer().killConnection(current.threadId());
            current.close(); // its pending answers fail, which counts and reconnects
        } else if (over > 0 && killedNanos != since) {
            killedNanos = since;
            mirror.killer().killQuery(current.threadId());
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
        ServerConnection half = preparing;
        if (half != null) {
            half.close();
        }
    }
}
