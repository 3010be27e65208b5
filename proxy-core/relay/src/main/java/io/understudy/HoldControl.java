package io.understudy;

import io.understudy.base.Durations;
import io.understudy.command.SessionModel;
import io.understudy.session.ClientSession;
import io.understudy.session.Hold;
import io.understudy.session.SessionRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Begins and ends a {@link Hold} on an operator's request, and ends it when its time is over. Thread-safe. */
final class HoldControl {
    private static final Logger log = LoggerFactory.getLogger(HoldControl.class);
    private static final long COUNTING_MILLIS = 200;
    /** Sessions that are named of those that are not at their boundary. */
    private static final int NAMED = 10;

    private final Hold hold;
    private final SessionRegistry registry;
    private final ScheduledExecutorService timer;
    private final Runnable ended;
    /** Guarded by this, as the next. */
    private int number;

    private long untilNanos;

    /** @param ended called after each hold; must not wait */
    HoldControl(Hold hold, SessionRegistry registry, ScheduledExecutorService timer, Runnable ended) {
        this.hold = hold;
        this.registry = registry;
        this.timer = timer;
        this.ended = ended;
    }

    /**
     * Holds sessions for at most {@code max}.
     *
     * @param gone completes when the operator's connection has closed, which ends the hold
     * @throws IllegalArgumentException if sessions are held already
     */
    Map<String, Object> begin(Duration max, CompletionStage<Void> gone) throws InterruptedException {
        List<ClientSession> sessions;
        CountDownLatch told;
        int mine;
        synchronized (this) {
            if (hold.on()) {
                throw new IllegalArgumentException("sessions are held already; POST /api/release ends that");
            }
            mine = ++number;
            untilNanos = System.nanoTime() + max.toNanos();
            hold.begin();
            sessions = List.copyOf(registry.all());
            told = new CountDownLatch(sessions.size());
            for (ClientSession session : sessions) {
                session.execute(() -> {
                    session.hold();
                    told.countDown();
                });
            }
            timer.schedule(() -> end(mine, "its time is over", Level.WARN), max.toNanos(), TimeUnit.NANOSECONDS);
        }
        log.info("sessions are held at their boundaries for at most {}", Durations.format(max));
        gone.thenRun(() -> end(mine, "the connection that asked for it has closed", Level.WARN));
        boolean unused = told.await(Math.min(COUNTING_MILLIS, max.toMillis()), TimeUnit.MILLISECONDS);
        return view();
    }

    /**
     * Releases sessions on request, if they are held.
     *
     * @param why for the log
     */
    Map<String, Object> release(String why) {
        int present;
        synchronized (this) {
            present = number;
        }
        end(present, why, Level.INFO);
        return view();
    }

    private synchronized void end(int which, String why, Level level) {
        if (which != number || !hold.on()) {
            return;
        }
        hold.end();
        ended.run();
        for (ClientSession session : registry.all()) {
            session.execute(session::release);
        }
        log.atLevel(level).log("held sessions are released: {}", why);
    }

    /** Returns the content of {@code /api/hold}. */
    synchronized Map<String, Object> view() {
        int held = 0;
        int busy = 0;
        int unread = 0;
        int replicating = 0;
        List<Map<String, Object>> waitsFor = new ArrayList<>();
        for (ClientSession session : registry.all()) {
            SessionModel model = session.model();
            if (session.held()) {
                held++;
            } else if (model != null && model.readsBinaryLog()) {
                replicating++;
            } else if (model != null) {
                busy++;
                if (waitsFor.size() < NAMED) {
                    waitsFor.add(session.occupation(model));
                }
            } else if (session.loggedIn()) {
                unread++;
            }
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("held", hold.on());
        view.put("leftMillis", hold.on() ? Math.max(0, (untilNanos - System.nanoTime()) / 1_000_000) : 0);
        view.put("atBoundary", held);
        view.put("notYet", busy);
        view.put("unread", unread);
        view.put("replicating", replicating);
        view.put("newConnections", hold.waiting());
        if (hold.on()) {
            view.put("waitsFor", waitsFor);
        }
        return view;
    }
}
