package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.PositionProber;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The tables that wait for a handover, with the probes that may free them. Thread-safe. */
public final class Handovers {
    private final WaitingTables waiting;
    private final HandoverProbes probes;

    /** @param executor runs the probes */
    public Handovers(Progress progress, PositionProber.Opener opener, Executor executor, LongSupplier nanos) {
        waiting = new WaitingTables(
                progress, nanos, () -> ThreadLocalRandom.current().nextLong());
        probes = new HandoverProbes(waiting, progress, opener, executor, nanos, LockSupport::parkNanos);
    }

    /** Returns the receiver of writes that wait. */
    public HandoverListener listener() {
        return waiting;
    }

    /** Returns the number of handovers. */
    public long count() {
        return waiting.handovers();
    }

    /** Returns the number of tables that wait. */
    public int waiting() {
        return waiting.size();
    }

    public long bursts() {
        return probes.bursts();
    }

    public long probes() {
        return probes.probes();
    }

    /** Returns whether a burst is running. */
    public boolean probing() {
        return probes.running();
    }
}
