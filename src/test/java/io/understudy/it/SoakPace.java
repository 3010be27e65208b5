package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The time of a soak. It counts ticks, and stands still while a disturbance is carried out or a sample is taken: on a
 * slow machine a soak takes longer, but has the same disturbances with as much load between them.
 */
final class SoakPace {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final double LONGEST_INTERVAL = 10;
    private static final int LEAST_SAMPLES = 30;
    /** A soak that takes so many times as long as planned hangs. */
    private static final int MOST = 5;

    private final double seconds;
    private final SoakDisturbances disturbances;
    private final SoakDisturbances.Action sample;
    private final double interval;
    private final long begun = System.nanoTime();
    private long ticks;
    private int samples;

    SoakPace(double seconds, SoakDisturbances disturbances, SoakDisturbances.Action sample) {
        this.seconds = seconds;
        this.disturbances = disturbances;
        this.sample = sample;
        interval = Math.min(LONGEST_INTERVAL, seconds / LEAST_SAMPLES);
    }

    private double planned() {
        return ticks * (TICK.toMillis() / 1e3);
    }

    private double elapsed() {
        return (System.nanoTime() - begun) / 1e9;
    }

    /** Goes on until so many of the planned seconds are over and, at their end, all disturbances done. */
    void continueUntil(double second) throws Exception {
        while (planned() < second || second >= seconds && !disturbances.allDone()) {
            LockSupport.parkNanos(TICK.toNanos());
            ticks++;
            disturbances.continueAt(planned());
            if (planned() >= interval * (samples + 1)) {
                samples++;
                sample.run();
            }
            assertThat(elapsed()).as("seconds, with " + disturbances.summary()).isLessThan(MOST * seconds);
        }
    }
}
