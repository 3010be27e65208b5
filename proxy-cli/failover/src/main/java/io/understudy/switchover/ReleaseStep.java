package io.understudy.switchover;

import java.io.IOException;

/** Releases the sessions. */
final class ReleaseStep implements Step {
    private final ProxyControl proxy;
    private final HoldClock clock;

    ReleaseStep(ProxyControl proxy, HoldClock clock) {
        this.proxy = proxy;
        this.clock = clock;
    }

    @Override
    public String plan() {
        return "release the sessions; those held get ERROR 1053 and connect again";
    }

    @Override
    public String run() throws Exception {
        try {
            proxy.release();
        } catch (IOException e) {
            throw new StepFailure(
                    e.getMessage() + "; by hand: understudy release -c FILE. The end of --max ("
                            + clock.length().toMillis() + " ms) or of this program releases them, too",
                    e);
        }
        return "held for " + clock.elapsed().toMillis() + " ms";
    }
}
