package io.understudy.switchover;

import java.time.Duration;

/** The time that is left of the hold. Used by one thread. */
final class HoldClock {
    /** The promotion must not begin later: the steps after it need time too. */
    private static final Duration RESERVE = Duration.ofMillis(300);

    private final Duration length;
    private long begunNanos;

    HoldClock(Duration length) {
        this.length = length;
    }

    Duration length() {
        return length;
    }

    void begin() {
        begunNanos = System.nanoTime();
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - begunNanos);
    }

    /**
     * Returns the time left for the steps before the promotion.
     *
     * @throws StepFailure if none is left
     */
    Duration left(String waitsFor) throws StepFailure {
        Duration left = length.minus(RESERVE).minus(elapsed());
        if (left.isNegative() || left.isZero()) {
            throw new StepFailure(
                    "the hold of " + length.toMillis() + " ms is almost over, " + waitsFor + "; allow more with --max");
        }
        return left;
    }
}
