package io.understudy.switchover;

import java.time.Duration;

/** A planned change of the primary. Runs once, on one thread; {@link #stop} may come from another one. */
public interface PlannedChange extends AutoCloseable {
    /** Prints what {@link #run} would do, and runs the checks alone. */
    ChangeOutcome rehearse() throws InterruptedException;

    ChangeOutcome run() throws InterruptedException;

    /** Ends one that has not reached the promotion, and waits for its end. Called when a signal arrives. */
    default void stop(Duration longest) throws InterruptedException {}

    @Override
    void close();
}
