package io.understudy.embedded;

import java.time.Duration;

/** The conditions that the link applies to new traffic. Confined to the link's event loop. */
final class LinkConditions {

    private long delayNanos;
    private long bytesPerSecond;
    private boolean paused;
    private boolean refusing;
    private LinkWatch watch = (connection, toTarget, bytes, arrivedNanos, leftNanos) -> {};

    /** Returns the delay of one direction. */
    long delayNanos() {
        return delayNanos;
    }

    void roundTrip(Duration rtt) {
        delayNanos = rtt.toNanos() / 2;
    }

    /** Returns the limit per direction and connection; 0 means no limit. */
    long bytesPerSecond() {
        return bytesPerSecond;
    }

    void bytesPerSecond(long value) {
        bytesPerSecond = value;
    }

    boolean paused() {
        return paused;
    }

    void paused(boolean value) {
        paused = value;
    }

    boolean refusing() {
        return refusing;
    }

    void refusing(boolean value) {
        refusing = value;
    }

    LinkWatch watch() {
        return watch;
    }

    void watch(LinkWatch value) {
        watch = value;
    }
}
