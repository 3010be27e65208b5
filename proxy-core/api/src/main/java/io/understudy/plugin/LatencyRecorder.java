package io.understudy.plugin;

/** Records values of one histogram series. Thread-safe. */
@FunctionalInterface
public interface LatencyRecorder {
    /** Records a latency in nanoseconds. */
    void record(long nanos);
}
