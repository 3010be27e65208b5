package io.understudy.switchover;

import java.io.IOException;
import java.time.Duration;

/** Has the proxy follow. With candidates it follows by itself once it has probed them, which a refusal speeds up. */
final class FollowStep implements Step {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long PAUSE_MILLIS = 20;

    private final ProxyControl proxy;
    private final String to;

    FollowStep(ProxyControl proxy, String to) {
        this.proxy = proxy;
        this.to = to;
    }

    @Override
    public String plan() {
        return "tell the proxy: POST /api/primary " + to;
    }

    @Override
    public String run() throws Exception {
        long begun = System.nanoTime();
        while (true) {
            try {
                String note = proxy.follow(to);
                return "new work goes to " + to
                        + (note.isEmpty() ? "" : System.lineSeparator() + "    still to do: " + note);
            } catch (IOException e) {
                if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                    throw new StepFailure(
                            "the proxy does not follow to " + to + ", which is the primary now: " + e.getMessage()
                                    + "; by hand: POST /api/primary {\"address\": \"" + to + "\"} with the admin token",
                            e);
                }
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
