package io.understudy.plugin;

/** A histogram series. Any thread. */
@FunctionalInterface
public interface LatencyRecorder {
    void record(long nanos);
}
