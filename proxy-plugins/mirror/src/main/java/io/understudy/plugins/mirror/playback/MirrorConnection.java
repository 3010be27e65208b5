package io.understudy.plugins.mirror.playback;

import io.understudy.base.BackOff;
import io.understudy.base.QueryFailures;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.statement.FirstStatements;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a standby through all its attempts: connects when there is a statement to send, and again after a
 * growing, jittered pause when the connection is lost. An attempt runs on the plugin's executor and then on the
 * connection's event loop. The states are in {@link MirrorLink}. Thread-safe.
 */
final class MirrorConnection {
    private static final Logger log = LoggerFactory.getLogger(MirrorConnection.class);
    private static final String ENDED = "it ended without a response";

    private final StandbyMirror mirror;
    private final MirrorLane lane;
    // A login costs as much as hundreds of statements, and no session waits for a mirror.
    private final BackOff backOff = BackOff.spread(Duration.ofSeconds(1), Duration.ofSeconds(10));
    private final QueryFailures failures;
    private final AtomicReference<MirrorLink> link = new AtomicReference<>(new MirrorLink.Resting());

    MirrorConnection(StandbyMirror mirror, MirrorLane lane) {
        this.mirror = mirror;
        this.lane = lane;
        this.failures = new QueryFailures(() -> !mirror.standby().state().reachable());
    }

    /** Returns whether it is in this state. */
    @SuppressWarnings("ReferenceEquality") // a state is one object
    boolean is(MirrorLink state) {
        return link.get() == state;
    }

    boolean backingOff() {
        return link.get() instanceof MirrorLink.Pausing;
    }

    /** Called by the lane when there may be work; once for each time the connection has become idle. */
    void wake() {
        MirrorLink now = link.get();
        try {
            if (now instanceof MirrorSender sender) {
                sender.wake();
            } else if (now instanceof MirrorLink.Resting) {
                MirrorLink.Opening opening = new MirrorLink.Opening();
                if (link.compareAndSet(now, opening)) {
                    now = opening;
                    mirror.context().executor().execute(this::open);
                }
            }
        } catch (RejectedExecutionException e) {
            lost(now, null);
        }
    }

    /** Begins an attempt. Never blocks. */
    private void open() {
        attempt(() -> mirror.collations().names().whenComplete((names, unknown) -> {
            if (names == null) {
                notOpened(reason(unknown));
            } else {
                attempt(() -> connect(names));
            }
        }));
    }

    private void connect(Map<Integer, String> names) {
        mirror.standby().connector().connect().whenComplete((connected, failure) -> {
            if (connected == null) {
                notOpened(reason(failure));
            } else {
                attempt(() -> prepare(connected, names));
            }
        });
    }

    private static String reason(@Nullable Throwable failure) {
        return failure == null ? "no reason given" : String.valueOf(failure.getMessage());
    }

    /** Runs a step of the attempt; a fault ends the attempt. */
    private void attempt(Runnable step) {
        guard(step, this::notOpened);
    }

    /**
     * Runs a step. A fault, which a stage or the connection that calls would swallow, is logged, and {@code end} gets
     * its text. Netty reports a lack of direct memory as an error.
     */
    void guard(Runnable step, Consumer<String> end) {
        try {
            step.run();
        } catch (RuntimeException | Error fault) {
            log.error("mirroring to {} failed unexpectedly", mirror.name(), fault);
            end.accept(fault.toString());
        }
    }

    /** Sends the statements that make the session read-only. */
    private void prepare(ServerConnection connected, Map<Integer, String> names) {
        MirrorLink.Preparing preparing = loggedIn(connected);
        if (preparing == null) {
            connected.close();
            return;
        }
        MirrorConfig config = mirror.config();
        PrecedingCommands.sendTexts(
                connected,
                FirstStatements.of(connected.flavor(), config.timeout(), config.initSql()),
                (refused, failure) -> attempt(() -> {
                    preparing.deadline().end();
                    if (failure != null) {
                        notOpened(failure);
                    } else if (refused != null) {
                        notOpened(
                                "a mirror setting or a statement of initSql was refused with error " + refused.code());
                    } else {
                        opened(connected, names);
                    }
                }));
    }

    /** Returns the next state, or null if the attempt is over and the connection is to be closed. */
    MirrorLink.@Nullable Preparing loggedIn(ServerConnection connected) {
        StatementDeadline deadline = new StatementDeadline();
        deadline.begin(System.nanoTime());
        MirrorLink.Preparing preparing = new MirrorLink.Preparing(connected, deadline);
        MirrorLink now = link.get();
        return now instanceof MirrorLink.Opening && link.compareAndSet(now, preparing) ? preparing : null;
    }

    void opened(ServerConnection connected, Map<Integer, String> names) {
        MirrorSender sender = new MirrorSender(this, mirror, lane, connected, names);
        MirrorLink now = link.get();
        if (!(now instanceof MirrorLink.Preparing) || !link.compareAndSet(now, sender)) {
            connected.close(); // the mirror has stopped meanwhile
            return;
        }
        lane.opened();
        mirror.queue().drainOn(connected.loop());
        sender.begin();
    }

    /** Ends an attempt, and closes its connection if there is one. */
    private void notOpened(String reason) {
        MirrorLink now = link.get();
        if (now instanceof MirrorLink.Opening || now instanceof MirrorLink.Preparing) {
            lost(now, reason);
        }
    }

    /** Ends a state that is still the present one, with its connection, and schedules the next attempt. */
    void lost(MirrorLink from, @Nullable String reason) {
        MirrorLink.Pausing pausing = new MirrorLink.Pausing(true);
        if (!link.compareAndSet(from, pausing)) {
            return;
        }
        end(from);
        if (from instanceof MirrorSender sender) {
            lane.closed();
            if (sender.lasted()) {
                backOff.reset();
                failures.succeeded();
            }
        }
        long delay = backOff.next().toMillis();
        long others = reason != null && failures.failed() ? mirror.warnings().mayLog("lost") : -1;
        if (others >= 0) {
            log.warn(
                    "no mirror connection to {}: {}; next attempt in {} ms{}",
                    mirror.name(),
                    reason,
                    delay,
                    others == 0 ? "" : " (" + others + " more connections before)");
        }
        try {
            mirror.context().executor().schedule(() -> rest(pausing), delay, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            link.compareAndSet(pausing, new MirrorLink.Pausing(false)); // the executor is full or stopped
        }
    }

    /** Ends a connection on which nothing is in flight; the next statement opens another, without a pause. */
    void renew(MirrorSender from) {
        if (link.compareAndSet(from, new MirrorLink.Resting())) {
            end(from);
            lane.closed();
            lane.addIdle(this);
        }
    }

    private void end(MirrorLink ended) {
        if (ended instanceof MirrorSender sender) {
            sender.close();
        } else if (ended instanceof MirrorLink.Preparing preparing) {
            close(preparing.connection());
        }
    }

    /** A fault does not keep what follows, the next attempt above all, from its turn. */
    void close(ServerConnection wire) {
        guard(wire::close, fault -> {});
    }

    private void rest(MirrorLink.Pausing pausing) {
        if (link.compareAndSet(pausing, new MirrorLink.Resting())) {
            lane.addIdle(this);
        }
    }

    /**
     * Kills a statement that the standby has not ended in time, and ends a connection that has ended without a word.
     * Called by one thread.
     */
    void sweep(long nowNanos) {
        MirrorLink now = link.get();
        long timeout = mirror.config().timeout().toNanos();
        if (now instanceof MirrorLink.Pausing pausing && !pausing.timed()) {
            rest(pausing);
        } else if (now instanceof MirrorLink.Preparing preparing) {
            if (preparing.deadline().enforce(nowNanos, timeout, mirror.killer(), preparing.connection(), true)) {
                lost(now, ENDED);
            }
        } else if (now instanceof MirrorSender sender) {
            if (sender.deadline().enforce(nowNanos, timeout, mirror.killer(), sender.wire(), false)) {
                lost(now, ENDED);
            }
        }
    }

    /** Has the standby release the user locks of the connection, if it is open. */
    void releaseLocks() {
        if (link.get() instanceof MirrorSender sender) {
            try {
                sender.releaseLocks();
            } catch (RejectedExecutionException e) {
                log.debug("the connection to {} has ended already", mirror.name());
            }
        }
    }

    /** Ends the connection or the attempt, and allows no further one. */
    void close() {
        end(link.getAndSet(new MirrorLink.Closed()));
    }
}
