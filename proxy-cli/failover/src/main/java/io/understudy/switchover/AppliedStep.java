package io.understudy.switchover;

import java.time.Duration;

/** Waits until the standby has applied the old primary's last transaction. */
record AppliedStep(Pair pair, LastTransaction transaction, HoldClock clock) implements Step {
    /** For the response: the old primary must be writable again before the hold is over. */
    private static final Duration GRACE = Duration.ofMillis(150);

    @Override
    public String plan() {
        return "wait until " + pair.standby().name() + " has applied the last transaction";
    }

    @Override
    public String run() throws Exception {
        String waitsFor = "and " + pair.standby().name() + " has yet to apply the last transactions";
        String last = transaction.read(clock.left(waitsFor));
        Duration left = clock.left(waitsFor);
        String applied = pair.standby().valueWithin(pair.dialect().applied(last, left), left.plus(GRACE));
        if (!applied.equals("0")) {
            throw new StepFailure(
                    pair.standby().name() + " has not applied " + last + " within " + left.toMillis() + " ms");
        }
        return "applied up to " + last;
    }
}
