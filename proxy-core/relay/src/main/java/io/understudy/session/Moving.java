package io.understudy.session;

import io.understudy.command.Question;
import io.understudy.command.SessionModel;
import io.understudy.handshake.LoginResult;
import io.understudy.metrics.CoreMetrics;
import io.understudy.move.NotMoved;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session's move to the present primary, in place of its end, at its boundary. Until it is there, nothing of the
 * client's is sent but a question that only the old server can answer.
 *
 * <pre>
 *   STAYS ──may be asked──▶ AWAITS_COMMAND ──asked──▶ STAYS (until the answer has come)
 *     │                        │ not asked, time over, server lost
 *     └────────────────────────┴──▶ RUNS ──▶ STAYS with the new server, or the session ends
 * </pre>
 *
 * <p>Must be used on the session's event loop.
 */
final class Moving {
    private static final Logger log = LoggerFactory.getLogger(ClientSession.class);
    /** How long an idle session may stay with the old server so that it can still be asked for diagnostics. */
    private static final long DIAGNOSTICS_MILLIS = TimeUnit.SECONDS.toMillis(1);

    /** The longest that the old server may take for an answer: it may have become silent meanwhile. */
    private static final long ANSWER_MILLIS = TimeUnit.SECONDS.toMillis(30);

    private enum State {
        STAYS,
        AWAITS_COMMAND,
        RUNS
    }

    private final ClientSession session;
    private final SessionEnvironment environment;
    /** Null until the session has a server to leave. */
    private @Nullable SessionMover mover;

    private State state = State.STAYS;
    private boolean patienceOver;
    /** Ends the wait for an answer. */
    private Runnable answerWait = () -> {};
    /** Counts the times that a command was awaited. */
    private int awaited;

    private volatile int count;

    Moving(ClientSession session, SessionEnvironment environment) {
        this.session = session;
        this.environment = environment;
    }

    void setMover(SessionMover next) {
        mover = next;
    }

    /** See {@link SessionMover#loggedIn}. */
    void loggedIn(LoginResult login) {
        if (mover != null) {
            mover.loggedIn(login);
        }
    }

    private SessionMover mover() {
        return Objects.requireNonNull(mover, "not connected to the primary");
    }

    /** Returns whether the server's leg is being exchanged. */
    boolean runs() {
        return state == State.RUNS;
    }

    /** Returns whether a move has been asked for that is not over. */
    boolean begun() {
        return state != State.STAYS;
    }

    /** Returns how often the session has moved. Thread-safe. */
    int count() {
        return count;
    }

    /**
     * Begins, unless it has begun.
     *
     * @param serverGone whether the present server can no longer be asked
     * @return false if the session is to end instead
     */
    boolean begin(Relaying relaying, boolean serverGone) {
        if (runs()) {
            return true;
        }
        answerWait.run(); // its answer is there
        if (!environment.moves() || relaying.closeExpected()) {
            return false;
        }
        Question asked = serverGone || patienceOver ? Question.NOT_ASKED : relaying.question();
        if (asked == null) {
            awaitCommand(relaying);
        } else if (asked == Question.ASKED) {
            state = State.STAYS;
            relaying.hold();
            relaying.passOnQuestion();
            limitAnswer(relaying);
        } else if (asked == Question.USED) {
            missed("diagnostics");
            return false;
        } else {
            run(relaying, serverGone);
        }
        return true;
    }

    private void limitAnswer(Relaying relaying) {
        long question = relaying.model().commands();
        int before = count;
        answerWait = mover().later(
                        () -> {
                            boolean asked = relaying.model().commands() == question && count == before;
                            if (asked
                                    && relaying.awaitsResponse()
                                    && !session.hasPrimary()
                                    && session.model() != null) {
                                missed("diagnostics");
                                session.end(CloseReason.PRIMARY_CHANGED);
                            }
                        },
                        ANSWER_MILLIS);
    }

    private void awaitCommand(Relaying relaying) {
        if (state != State.AWAITS_COMMAND) {
            state = State.AWAITS_COMMAND;
            int mine = ++awaited;
            mover().later(
                            () -> {
                                if (mine == awaited && state == State.AWAITS_COMMAND) {
                                    giveUpDiagnostics();
                                    goOn();
                                }
                            },
                            DIAGNOSTICS_MILLIS);
        }
        relaying.holdNext(this::goOn);
    }

    /** Goes on where the client's next command was awaited. */
    void goOn() {
        if (state == State.AWAITS_COMMAND && !session.ended() && !session.move()) {
            session.notMoved();
        }
    }

    /** Called when the session's server is the primary again. */
    void stay() {
        if (state == State.AWAITS_COMMAND) {
            over();
        }
    }

    /** Has the session move now, whatever its client may ask next. */
    void giveUpDiagnostics() {
        patienceOver = true;
    }

    private void run(Relaying relaying, boolean serverGone) {
        state = State.RUNS;
        relaying.hold();
        SessionModel model = relaying.model();
        mover().move(model, relaying.ownVariables(), relaying.readAgain(), serverGone, new SessionMover.Result() {
            @Override
            @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes, others read
            public void moved(Destination to, Runnable parting, long serverThreadId) {
                over();
                count++;
                environment.metrics().moved(CoreMetrics.MOVED);
                long before = model.serverThreadId();
                model.moved(serverThreadId);
                relaying.moved();
                session.moved(to, parting, model.user(), before);
            }

            @Override
            public void failed(NotMoved why) {
                over();
                if (why.reason().equals(NotMoved.UNREACHABLE) && session.wait.outlivesServer()) {
                    return;
                }
                environment.metrics().moved(why.reason());
                log.atInfo()
                        .addKeyValue("session", session.id())
                        .addKeyValue("user", model.user())
                        .addKeyValue("reason", why.reason())
                        .log("not moved to the new primary, so it ends: {}", why.getMessage());
                session.notMoved();
            }
        });
    }

    /** Called when the session has ended. */
    void ended() {
        answerWait.run();
        if (mover != null) {
            mover.ended();
        }
    }

    private void over() {
        state = State.STAYS;
        patienceOver = false;
    }

    /** Counts a session that ends without having been moved. */
    void missed(String reason) {
        if (environment.moves()) {
            environment.metrics().moved(reason);
        }
    }
}
