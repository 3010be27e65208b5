package io.understudy.plugins.mirror;

import io.understudy.plugin.WireConnection;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a standby through its life: connects when there is something to send, takes statements from its lane one
 * at a time, backs off with jitter when it is lost. Everything but {@link #wake}, {@link #sweep} and {@link #close} runs on
 * the connection's event loop, or before there is one.
 */
final class MirrorConnection implements Playback.Ending {
    private static final Logger log = LoggerFactory.getLogger(MirrorConnection.class);
    /** What the standby gets beyond the timeout to end a statement by itself. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final StandbyMirror mirror;
    private final MirrorLane lane;
    private final BackOff backOff = new BackOff();

    private volatile @Nullable WireConnection wire;
    /** Logged in, but its first statements are not answered yet; {@link #busySinceNanos} counts for it too. */
    private volatile @Nullable WireConnection preparing;

    private volatile boolean backingOff;
    private volatile boolean closed;
    private volatile long busySinceNanos;
    private @Nullable Playback playback;
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
        WireConnection current = wire;
        try {
            if (current != null) {
                current.loop().execute(this::next);
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

    private void prepare(WireConnection connected, CollationNames names) {
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

    private void opened(WireConnection connected, CollationNames names) {
        backOff.succeeded();
        backingOff = false;
        playback = new Playback(connected, names, this);
        wire = connected;
        lane.opened();
        next();
    }

    /** Goes on with the next statement; without recursion, since a statement may end before {@code play} comes back. */
    private void next() {
        goOn = true;
        if (going) {
            return;
        }
        going = true;
        try {
            while (goOn) {
                goOn = false;
                takeOne();
            }
        } finally {
            going = false;
        }
    }

    /** Takes the next statement that is still worth sending, or rests. */
    private void takeOne() {
        busySinceNanos = 0;
        WireConnection current = wire;
        Playback player = playback;
        if (current == null || player == null || !current.isOpen()) {
            disconnected("the standby closed the connection");
            return;
        }
        MirroredStatement statement;
        while ((statement = lane.poll()) != null) {
            if (mirror.taken(statement)) {
                busySinceNanos = System.nanoTime();
                player.play(statement);
                return;
            }
        }
        lane.rest(this);
    }

    @Override
    public void executed(MirroredStatement statement, String outcome, long nanos) {
        mirror.executed(statement, outcome, nanos);
        statement.release();
        next();
    }

    @Override
    public void notReproducible(MirroredStatement statement) {
        mirror.drop(DropReason.NOT_REPRODUCIBLE);
        statement.release();
        next();
    }

    @Override
    public void failed(MirroredStatement statement, String reason) {
        long nanos = System.nanoTime() - busySinceNanos;
        boolean overdue = nanos > mirror.config().timeout().toNanos();
        mirror.executed(statement, overdue ? "timeout" : "error", nanos);
        statement.release();
        disconnected(reason);
    }

    private void disconnected(String reason) {
        WireConnection current = wire;
        wire = null;
        busySinceNanos = 0;
        if (current != null) {
            lane.closed();
            current.close();
        }
        lost(reason);
    }

    /** No connection; the next attempt comes after a while that grows and varies. */
    private void lost(@Nullable String reason) {
        if (closed) {
            return;
        }
        boolean first = backOff.failed();
        int delay = backOff.delayMillis();
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
        WireConnection current = wire;
        if (current == null) {
            current = preparing;
        }
        if (since != 0
                && current != null
                && nowNanos - since > mirror.config().timeout().toNanos() + GRACE_NANOS) {
            current.close(); // its pending answers fail, which counts and reconnects
        }
    }

    void close() {
        closed = true;
        WireConnection current = wire;
        wire = null;
        if (current != null) {
            current.close();
        }
        WireConnection half = preparing;
        if (half != null) {
            half.close();
        }
    }
}
