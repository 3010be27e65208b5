package io.understudy.switchover;

import java.io.IOException;

/** Holds the proxy's sessions and waits until no transaction runs. */
final class HoldStep implements Step {
    private static final long POLL_MILLIS = 5;

    private final ProxyControl proxy;
    private final HoldClock clock;
    private boolean begun;

    HoldStep(ProxyControl proxy, HoldClock clock) {
        this.proxy = proxy;
        this.clock = clock;
    }

    @Override
    public String plan() {
        return "hold the proxy's sessions for at most " + clock.length().toMillis()
                + " ms, until none is in a transaction";
    }

    @Override
    public String run() throws Exception {
        clock.begin();
        HeldSessions sessions = proxy.hold(clock.length());
        begun = true;
        // The other half is for the standby.
        while (sessions.notYet() > 0 && clock.elapsed().compareTo(clock.length().dividedBy(2)) < 0) {
            Thread.sleep(POLL_MILLIS);
            sessions = proxy.held();
        }
        if (sessions.notYet() > 0 || !sessions.on()) {
            throw new StepFailure("held, but not all in time: " + sessions
                    + "; have these end or release their locks, or allow more with --max");
        }
        return sessions.toString();
    }

    @Override
    public String undo() throws Exception {
        if (!begun) {
            return "";
        }
        boolean over;
        try {
            over = !proxy.held().on();
            proxy.release();
        } catch (IOException e) {
            return "the proxy could not be told to release (" + e.getMessage() + "): its hold ends with it, or "
                    + clock.length().toMillis() + " ms after it began";
        }
        return over
                ? "the hold of " + clock.length().toMillis() + " ms was over before: its end has released the sessions"
                        + " on the old primary"
                : "released the sessions on the old primary after "
                        + clock.elapsed().toMillis() + " ms";
    }
}
