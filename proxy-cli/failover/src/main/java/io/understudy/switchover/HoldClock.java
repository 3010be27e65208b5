package io.understudy.switchover;

import java.time.Duration;
import java.util.function.LongSupplier;

/** The time that is left of the hold. Used by one thread. */
final class HoldClock {
    /** The promotion must not begin later: the steps after it need time too. */
    private static final Duration RESERVE = Duration.ofMillis(300);

    private final Duration length;
    private final LongSupplier nanoTime;
    private long begunNanos;

    HoldClock(Duration length) {
        this(length, System::nanoTime);
    }

    HoldClock(Duration length, LongSupplier nanoTime) {
        this.length = length;
        this.nanoTime = nanoTime;
    }

    Duration length() {
        return length;
    }

    void begin() {
        begunNanos = nanoTime.getAsLong();
    }

    Duration elapsed() {
        return Duration.ofNanos(nanoTime.getAsLong() - begunNanos);
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
