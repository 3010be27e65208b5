package io.understudy.session;

import io.understudy.command.SessionModel;
import io.understudy.metrics.CoreMetrics;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session's move to the present primary, in place of its end, at its boundary. Until its server is the primary again
 * nothing of the client's is sent. Must be used on the session's event loop.
 */
final class Moving {
    private static final Logger log = LoggerFactory.getLogger(ClientSession.class);
    /** How long an idle session may stay with the old server so that it can still be asked for diagnostics. */
    private static final long DIAGNOSTICS_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private final ClientSession session;
    private final SessionEnvironment environment;
    private SessionMover mover = SessionMover.NONE;
    private boolean running;
    /** The session stays with its server until the client's next command, which may ask about the one before. */
    private boolean awaitsCommand;

    private boolean patienceOver;
    private volatile int count;

    Moving(ClientSession session, SessionEnvironment environment) {
        this.session = session;
        this.environment = environment;
    }

    void by(SessionMover its) {
        mover = its;
    }

    SessionMover mover() {
        return mover;
    }

    /** Returns whether it is under way, or waits for the client's next command. */
    boolean running() {
        return running || awaitsCommand;
    }

    /** Returns how often the session has moved. Thread-safe. */
    int count() {
        return count;
    }

    /**
     * Begins, unless it is under way.
     *
     * @param serverGone whether the present server can no longer be asked
     * @return false if the session is to end instead
     */
    boolean begin(Relaying relaying, boolean serverGone) {
        if (running) {
            return true;
        }
        if (!environment.moves() || relaying.closeExpected()) {
            return false;
        }
        if (!serverGone && !patienceOver && waitsForCommand(relaying)) {
            return true;
        }
        awaitsCommand = false;
        running = true;
        relaying.hold();
        SessionModel model = relaying.model();
        mover.move(model, relaying.ownVariables(), serverGone, new SessionMover.Result() {
            @Override
            public void moved(Destination to, Runnable parting, long serverThreadId, String serverVersion) {
                running = false;
                patienceOver = false;
                count++;
                environment.metrics().moved(CoreMetrics.MOVED);
                long before = model.serverThreadId();
                model.moved(serverThreadId, serverVersion);
                relaying.moved();
                session.moved(to, parting, model.user(), before);
            }

            @Override
            public void failed(String reason, String detail) {
                running = false;
                environment.metrics().moved(reason);
                log.atInfo()
                        .addKeyValue("session", session.id())
                        .addKeyValue("reason", reason)
                        .log("not moved to the new primary, so it ends: {}", detail.isEmpty() ? reason : detail);
                session.notMoved();
            }
        });
        return true;
    }

    /**
     * Returns whether the session stays until the client's next command, or for that command, because it may ask about
     * the statement before it: the new server could not tell.
     */
    private boolean waitsForCommand(Relaying relaying) {
        switch (relaying.diagnostics()) {
            case NOT_ASKED -> {
                return false;
            }
            case ASKED -> {
                awaitsCommand = false;
                relaying.passOnDiagnostics();
                return true;
            }
            default -> {
                if (!awaitsCommand) {
                    awaitsCommand = true;
                    relaying.holdNext(session::applyBoundaryRequests);
                    mover.later(this::endPatience, DIAGNOSTICS_MILLIS);
                }
                return true;
            }
        }
    }

    private void endPatience() {
        if (awaitsCommand && !session.ended()) {
            giveUpDiagnostics();
            session.applyBoundaryRequests();
        }
    }

    /** Has the session move now, whatever its client may ask next. */
    void giveUpDiagnostics() {
        patienceOver = true;
    }

    /** Counts a session that ends without having been moved. */
    void missed(String reason) {
        if (environment.moves()) {
            environment.metrics().moved(reason);
        }
    }
}
