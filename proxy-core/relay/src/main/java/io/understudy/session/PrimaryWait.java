package io.understudy.session;

import io.understudy.plugin.Outcome;
import java.util.concurrent.CompletionStage;

/**
 * A session's wait for a primary, or for what became of the statement whose response its server has not sent. Must be
 * used on the session's event loop.
 */
final class PrimaryWait {
    private final ClientSession session;
    private final AbsentPrimary absent;
    private final SessionFaults faults;
    private final BoundaryRequests requests;

    private boolean waits;
    /** The session has lost its server while it waits, or before. */
    private boolean parted;
    /** The monotonic time of that. */
    private long partedNanos;
    /** The last change of the primary that came while it waited. */
    private int missedChange;

    PrimaryWait(ClientSession session, AbsentPrimary absent, SessionFaults faults, BoundaryRequests requests) {
        this.session = session;
        this.absent = absent;
        this.faults = faults;
        this.requests = requests;
    }

    /** Returns whether the session waits. */
    boolean on() {
        return waits;
    }

    /** Returns whether the session has lost its server, and has not got another one since. */
    boolean parted() {
        return parted;
    }

    /** Called when the session loses its server; the first time counts. */
    void part() {
        partedNanos = parted ? partedNanos : System.nanoTime();
        parted = true;
    }

    /**
     * Has a login wait.
     *
     * @param connector connects it when the wait is over
     * @return false if it may not wait, or no longer
     */
    boolean awaitLogin(Runnable connector) {
        waits = absent.awaitLogin(session, outcome -> {
            if (waits) {
                waits = false;
                connector.run();
            }
        });
        return waits;
    }

    /** Returns whether the session, at a boundary, now waits. */
    boolean awaitAtBoundary() {
        waits = waits || absent.awaitAtBoundary(session, this::over);
        return waits;
    }

    /** Has a session at a boundary wait that has no server any more. Returns false if it is to end at once. */
    boolean outlivesServer() {
        if (!(session.phase() instanceof Relaying relaying) || session.clientDone() || !relaying.mayLoseServer()) {
            return false;
        }
        part();
        waits = waits || absent.awaitBroken(session, partedNanos, this::over);
        if (waits) {
            relaying.hold();
        }
        return waits;
    }

    /**
     * Has the session wait for what became of the statement in flight.
     *
     * @return false if it is to end at once
     */
    boolean awaitOutcome() {
        if (!(session.phase() instanceof Relaying relaying)) {
            return false;
        }
        CompletionStage<Outcome> stage = relaying.outcome(absent.patience());
        if (stage != null) {
            part();
            waits = absent.awaitOutcome(
                    session, late -> outcome(new Outcome.Unknown("it could not be found out within failover.hold")));
            if (!waits) {
                outcome(new Outcome.Unknown("failover.hold is 0s"));
            }
            stage.whenComplete((found, fault) -> session.execute(() ->
                    outcome(fault == null ? found : new Outcome.Unknown("an internal error of the proxy's plugin"))));
        }
        return stage != null || relaying.awaitsOutcome();
    }

    /** Tells the client what it waits for, if it still does. The session goes on if it is at a boundary then. */
    void outcome(Outcome outcome) {
        if (!(session.phase() instanceof Relaying relaying) || !relaying.awaitsOutcome()) {
            return;
        }
        boolean failed = !(outcome instanceof Outcome.Committed);
        try {
            relaying.tell(outcome);
        } catch (RuntimeException e) {
            session.end(faults.thrown(session.phase(), CloseReason.SERVER_MALFORMED, e));
            return;
        }
        boolean goesOn = session.mayMove()
                && !session.clientDone()
                && !relaying.responsesDue()
                && relaying.mayLoseServer()
                // What was sent behind a statement that is then repeated may belong behind that.
                && !(failed && relaying.holdsCommands());
        waits = absent.told(session, goesOn ? this::over : null);
        if (waits) {
            session.applyBoundaryRequests();
        } else {
            session.end(
                    relaying.holdsCommands() ? faults.serverLost(session.phase(), true) : CloseReason.SERVER_CLOSED);
        }
    }

    /** The wait of a logged-in session is over. */
    private void over(AbsentPrimary.Outcome outcome) {
        if (!waits) {
            return;
        }
        waits = false;
        boolean back = outcome == AbsentPrimary.Outcome.WENT_ON;
        boolean changed = !session.hasPrimary();
        if (parted) {
            if (!(back || changed) || !session.move()) {
                session.end(
                        back || changed || outcome == AbsentPrimary.Outcome.TIMED_OUT
                                ? faults.serverLost(session.phase(), back)
                                : CloseReason.SERVER_CLOSED);
            }
        } else if (changed) {
            primaryMissed();
        } else {
            session.wentOn(requests.primaryBack());
        }
    }

    /** Called when the primary has changed while the session waits. */
    void missed(int change) {
        missedChange = change;
    }

    /** Called when the session has another server. */
    void arrived() {
        parted = false;
        if (session.hasPrimary()) {
            session.wentOn(requests.arrived());
        } else {
            // Another one has become the primary meanwhile; a read that was sent again here gets its response first.
            primaryMissed();
        }
    }

    private void primaryMissed() {
        requests.primaryChanged(false, missedChange);
    }

    /** Ends the wait with the session. */
    void end(CloseReason reason) {
        if (waits) {
            waits = false;
            absent.leave(session, reason);
        }
    }
}
