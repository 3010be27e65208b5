package io.understudy.session;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.base.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has logins and sessions at a boundary wait while there is no primary, for at most {@code failover.hold}. A login
 * waits from its accept, a session from when the primary was found missing. They go on in the order in which they came,
 * some at a time, once the primary has responded to a probe since. Thread-safe.
 */
public final class AbsentPrimary {
    private static final Logger log = LoggerFactory.getLogger(AbsentPrimary.class);
    private static final long TICK_MILLIS = 20;
    /** Waiting clients that go on in one tick: 2,500 a second, of which a server that has just started can log in. */
    private static final int AT_ONCE = 50;
    /** In which the client is told what a plugin has found out. */
    private static final long ANSWERING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** What waits. */
    enum Kind {
        LOGIN,
        SESSION,
        /** A session, until its client is told what became of a statement. */
        OUTCOME
    }

    /** How a wait ended. */
    enum Outcome {
        WENT_ON,
        TIMED_OUT,
        /** The client left, or the proxy ended the session. */
        LEFT
    }

    /** What the probes say of the primary. Must not wait. */
    public interface Signs {
        /** Returns whether it does not respond, or none of the candidates is writable. */
        boolean absent();

        /** Returns whether clients can be connected to it, as far as is known. */
        boolean usable();

        /** Returns the monotonic time of its last sign of life, or of the change that made it the primary. */
        long lastSignNanos();

        /** Requests a probe. */
        void suspect();
    }

    /**
     * One that waits.
     *
     * @param begunNanos when its time began
     * @param askedNanos when it came here
     * @param outages as counted then
     */
    private record Waiting(Kind kind, long begunNanos, long askedNanos, int outages, Consumer<Outcome> then) {}

    private final MeterRegistry registry;
    /** Guarded by this, as the next two. */
    private final Map<ClientSession, Waiting> waiting = new LinkedHashMap<>();

    private boolean ticking;
    /** Counts the times that the primary was found missing. */
    private int outages;

    private @Nullable Signs signs;
    private @Nullable ScheduledExecutorService timer;
    private Supplier<Collection<ClientSession>> sessions = List::of;
    private volatile long mostNanos;
    private volatile boolean absent;
    private volatile long absentNanos;

    AbsentPrimary(MeterRegistry registry) {
        this.registry = registry;
        for (Kind kind : Kind.values()) {
            for (Outcome outcome : Outcome.values()) {
                counter(kind, outcome); // which shows it before it happens
            }
            Gauge.builder("understudy.failover.waiting", this, all -> all.count(kind))
                    .description("Logins and sessions that wait for a primary or for a statement's outcome")
                    .tag("what", label(kind))
                    .register(registry);
        }
    }

    private Counter counter(Kind kind, Outcome outcome) {
        return Counter.builder("understudy.failover.held")
                .description("Logins and sessions that waited for a primary or an outcome")
                .tag("what", label(kind))
                .tag("outcome", label(outcome))
                .register(registry);
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private synchronized long count(Kind kind) {
        return waiting.values().stream().filter(each -> each.kind() == kind).count();
    }

    /** Sets what the waits depend on. Called once, before the first session. */
    public void follow(Signs probes, ScheduledExecutorService timer, Supplier<Collection<ClientSession>> sessions) {
        this.signs = probes;
        this.timer = timer;
        this.sessions = sessions;
    }

    /** Sets how long each may wait, from now on also those that wait; zero to let nothing wait. */
    public void allow(Duration most) {
        mostNanos = most.toNanos();
        probed();
    }

    /** Returns whether anything waits while there is no primary. */
    public boolean on() {
        return mostNanos > 0;
    }

    /** Returns whether there is no primary now. False while nothing is to wait. */
    public boolean absent() {
        return absent;
    }

    /** To be called after each probe, and when the primary has changed. */
    public synchronized void probed() {
        Signs of = signs;
        boolean now = of != null && on() && of.absent();
        if (now == absent) {
            return;
        }
        if (now) {
            absentNanos = System.nanoTime();
            outages++;
            log.warn(
                    "there is no primary: logins and sessions at a boundary wait for up to {} (failover.hold)",
                    Durations.format(Duration.ofNanos(mostNanos)));
        } else if (!on()) {
            log.info("failover.hold is 0s: {} logins and sessions wait for a primary no longer", waiting.size());
        } else {
            log.info("there is a primary again: {} logins and sessions that waited for it go on", waiting.size());
        }
        absent = now;
        if (now) {
            sessions.get().forEach(session -> execute(session, session::primaryAbsent));
        }
    }

    /** Returns how long a plugin may take to find out an outcome: a little less than a session waits for it. */
    Duration patience() {
        long most = timer == null ? 0 : mostNanos;
        return Duration.ofNanos(most - Math.min(most / 10, ANSWERING_NANOS));
    }

    /**
     * Has a session wait until {@link #told}, whether or not there is a primary.
     *
     * @param then called when its time is over
     * @return false if nothing is to wait
     */
    boolean awaitOutcome(ClientSession session, Consumer<Outcome> then) {
        Signs of = signs;
        boolean waits = await(session, Kind.OUTCOME, System.nanoTime(), then);
        if (waits && of != null) {
            of.suspect();
        }
        return waits;
    }

    /**
     * Called when the client has been told the outcome that its session waited for. From now on the session waits for a
     * primary, as if it did since then.
     *
     * @param then see {@link #await}; null if the session is to wait no longer
     * @return whether it waits
     */
    synchronized boolean told(ClientSession session, @Nullable Consumer<Outcome> then) {
        Waiting its = waiting.remove(session);
        if (its != null) {
            counter(its.kind(), Outcome.WENT_ON).increment();
            if (then != null) {
                waiting.put(
                        session, new Waiting(Kind.SESSION, its.begunNanos(), its.askedNanos(), its.outages(), then));
            }
        }
        return its != null && then != null;
    }

    /**
     * Has a session wait that has lost its server. See {@link #await}.
     *
     * @param lostNanos the monotonic time of that
     */
    boolean awaitBroken(ClientSession session, long lostNanos, Consumer<Outcome> then) {
        Signs of = signs;
        boolean before = absent && absentNanos - lostNanos < 0;
        boolean waits = await(session, Kind.SESSION, before ? absentNanos : lostNanos, then);
        if (waits && of != null) {
            of.suspect();
        }
        return waits;
    }

    /** Has a session at a boundary wait if there is no primary. See {@link #await}. */
    boolean awaitAtBoundary(ClientSession session, Consumer<Outcome> then) {
        return absent && await(session, Kind.SESSION, absentNanos, then);
    }

    /** Has a login wait. See {@link #await}. */
    boolean awaitLogin(ClientSession session, Consumer<Outcome> then) {
        return await(session, Kind.LOGIN, session.begunNanos(), then);
    }

    /**
     * Has a session wait, which does not do so already.
     *
     * @param begunNanos the monotonic time at which its wait began
     * @param then called once on the session's event loop, unless {@link #leave} was called; {@link Outcome#LEFT} if
     *     the primary was there all the time
     * @return false if nothing is to wait, or its time is over
     */
    private synchronized boolean await(ClientSession session, Kind kind, long begunNanos, Consumer<Outcome> then) {
        long now = System.nanoTime();
        ScheduledExecutorService on = timer;
        if (on == null || now - begunNanos >= mostNanos) {
            return false;
        }
        waiting.put(session, new Waiting(kind, begunNanos, now, absent ? outages - 1 : outages, then));
        if (!ticking) {
            ticking = true;
            tickLater(on);
        }
        return true;
    }

    private void tickLater(ScheduledExecutorService on) {
        try {
            on.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("the proxy stops; sessions that wait for a primary end with it", e);
        }
    }

    private void tick() {
        Map<ClientSession, Runnable> ends = new LinkedHashMap<>();
        try {
            end(ends);
        } finally {
            again();
            ends.forEach(AbsentPrimary::execute);
        }
    }

    private synchronized void again() {
        ticking = !waiting.isEmpty();
        if (ticking) {
            tickLater(Objects.requireNonNull(timer));
        }
    }

    private boolean usable() {
        try {
            return Objects.requireNonNull(signs).usable();
        } catch (RuntimeException e) {
            log.debug("an internal error: whether there is a primary is not known", e);
            return false;
        }
    }

    /** Takes out those whose wait is over, and says what each is told. */
    private synchronized void end(Map<ClientSession, Runnable> ends) {
        boolean usable = usable();
        long signNanos = Objects.requireNonNull(signs).lastSignNanos();
        long now = System.nanoTime();
        int left = AT_ONCE;
        for (Iterator<Map.Entry<ClientSession, Waiting>> all =
                        waiting.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<ClientSession, Waiting> each = all.next();
            Waiting its = each.getValue();
            boolean goesOn = left > 0 && its.kind() != Kind.OUTCOME && usable && signNanos - its.askedNanos() > 0;
            if (goesOn || now - its.begunNanos() >= mostNanos) {
                all.remove();
                left -= goesOn ? 1 : 0;
                Outcome outcome = goesOn ? Outcome.WENT_ON : Outcome.TIMED_OUT;
                boolean missed = missed(its);
                ends.put(each.getKey(), () -> its.then().accept(missed ? outcome : Outcome.LEFT));
                if (missed) {
                    counter(its.kind(), outcome).increment();
                }
            }
        }
    }

    private static void execute(ClientSession session, Runnable task) {
        try {
            session.execute(task);
        } catch (RuntimeException e) {
            log.debug("a session's event loop has ended, and the session with it", e);
        }
    }

    /** Returns whether there was no primary meanwhile: it may have closed one connection alone. */
    private boolean missed(Waiting its) {
        return its.kind() != Kind.SESSION || its.outages() != outages;
    }

    /** Takes out a session that ends while it waits. */
    synchronized void leave(ClientSession session, CloseReason reason) {
        Waiting gone = waiting.remove(session);
        if (gone != null) {
            if (missed(gone)) {
                counter(gone.kind(), Outcome.LEFT).increment();
            }
            log.atDebug()
                    .addKeyValue("session", session.id())
                    .addKeyValue("reason", reason.label())
                    .log("ended while it waited for a primary");
        }
    }

    /** Returns the time that a login has waited as the end of a sentence; empty if nothing waits. */
    String waited(long begunNanos) {
        Duration most = Duration.ofNanos(mostNanos);
        return on() && System.nanoTime() - begunNanos >= most.toNanos()
                ? "; waited " + Durations.format(most) + " for a primary (failover.hold)"
                : "";
    }
}
