package io.understudy.switchover;

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
        proxy.release();
        return "held for " + clock.elapsed().toMillis() + " ms";
    }
}
