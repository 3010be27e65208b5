package io.understudy.switchover;

import java.time.Duration;

/** Waits until the standby has applied what the primary had written when the step began. */
record LagStep(Pair pair, Duration longest) implements Step {
    @Override
    public String plan() {
        return "measure the lag: at most " + longest.toMillis() + " ms";
    }

    @Override
    public String run() throws Exception {
        // Numbered here, so that no held session waits for that.
        pair.primary().traced();
        pair.standby().traced();
        String position = pair.primary().value(pair.dialect().position());
        long begun = System.nanoTime();
        if (!pair.standby()
                .value(pair.dialect().applied(position, longest), longest)
                .equals("0")) {
            throw new StepFailure(pair.standby().name() + " has not applied the primary's position within "
                    + longest.toMillis() + " ms; wait until it has caught up, or allow more with --lag");
        }
        return "lag " + (System.nanoTime() - begun) / 1_000_000 + " ms";
    }
}
