package io.understudy.session;

import io.understudy.command.SessionModel;
import io.understudy.plugin.SessionRefusal;

/**
 * The requests to a session at its next boundary: to end, because the proxy drains or its server is no longer the
 * primary, or to wait, because an operator holds sessions or there is no primary. Must be used on the session's event
 * loop.
 */
final class BoundaryRequests {
    private final ClientSession session;
    private final SessionFaults faults;
    private final Hold hold;

    private boolean draining;
    /** Another server has become the primary. */
    private boolean leaving;
    /** Number of the primary change that made this session leave. */
    private int leavingSince;

    private boolean holding;

    BoundaryRequests(ClientSession session, SessionFaults faults, Hold hold) {
        this.session = session;
        this.faults = faults;
        this.hold = hold;
    }

    /** See {@link ClientSession#drain}. */
    void drain() {
        draining = true;
        if (session.loggedIn()) {
            apply();
        } else {
            session.end(CloseReason.DRAINED);
        }
    }

    /**
     * See {@link ClientSession#primaryChanged}.
     *
     * @param primary whether the session's server is the primary
     */
    void primaryChanged(boolean primary, int change) {
        leavingSince = leaving ? leavingSince : change;
        boolean stays = leaving && primary;
        leaving = !primary;
        if (stays) {
            session.staysWithServer();
        }
        if (leaving && session.phase() instanceof LoggingIn && !session.mayMove()) {
            session.end(faults.primaryChanged(session.phase()));
        } else if (leaving) {
            apply();
        }
    }

    /** See {@link ClientSession#leaveNow}. */
    void leaveNow(int change) {
        if (leaving && leavingSince <= change && !session.ended() && !session.wait.on() && !session.movesAtOnce()) {
            // ERROR 1053 says that a command was not executed. Of one that has been sent that is not known.
            boolean unknown = session.loggedIn() && session.phase().responsesDue();
            if (unknown && session.leavesForOutcome()) {
                return;
            }
            session.end(unknown ? CloseReason.PRIMARY_CHANGED : faults.primaryChanged(session.phase()));
        }
    }

    /** See {@link ClientSession#refused}. */
    void refused() {
        if (session.loggedIn()) {
            apply();
        }
    }

    /** See {@link ClientSession#hold}. */
    void hold() {
        holding = hold.on();
        apply();
    }

    /** Ends {@link #hold}, and the wait for a primary once that is over. Returns whether the session was held. */
    boolean release() {
        holding = false;
        return !session.wait.on() && !leaving && goOn();
    }

    /**
     * Has the session, which has moved to the primary, go on there, unless something else holds it.
     *
     * @return whether it was held
     */
    boolean arrived() {
        leaving = false;
        boolean went = !holding && !session.wait.on() && goOn();
        apply();
        return went;
    }

    /** Has the session, whose server is the primary again, go on there, unless something else holds it. */
    boolean stays() {
        return !holding && !session.wait.on() && goOn();
    }

    /** Has the session go on after its wait for a primary, unless an operator holds it. Returns whether it was held. */
    boolean primaryBack() {
        return !holding && goOn();
    }

    private boolean goOn() {
        boolean stays = !session.moving.runs();
        long waited = stays && session.phase() instanceof Relaying relaying ? relaying.release() : 0;
        if (waited > 0) {
            hold.waited(waited);
        }
        return waited > 0;
    }

    /**
     * Has the requests take effect if the session is at a boundary without locks. A standby that reads the binary log
     * never is: it ends at once, as it goes on by its position on the next connection. A hold leaves it alone.
     */
    void apply() {
        SessionModel model = session.model();
        if (model == null) {
            return;
        }
        SessionRefusal refusal = model.refusal();
        if (refusal != null && model.atBoundary()) {
            session.end(faults.refusedByPlugin(session.phase(), refusal));
            return;
        }
        if (!model.mayPause() && !((leaving || draining) && model.readsBinaryLog())) {
            return;
        }
        if (leaving) {
            if (!model.mayPause() || !session.move()) {
                session.end(faults.primaryChanged(session.phase()));
            }
        } else if (draining) {
            session.end(CloseReason.DRAINED);
        } else if (session.phase() instanceof Relaying relaying) {
            boolean waits = session.wait.awaitAtBoundary(); // also where an operator holds it: that may end first
            if (waits || holding) {
                relaying.hold();
            }
        }
    }
}
