package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/** Domains with any write in flight or not applied by every standby, whatever its tables. Thread-safe. */
final class DomainActivity {
    private final AtomicIntegerArray inFlight = new AtomicIntegerArray(DomainIndexes.LENGTH);
    private final AtomicLongArray lastEpoch = new AtomicLongArray(DomainIndexes.LENGTH);

    void begin(int index) {
        inFlight.incrementAndGet(index);
    }

    void move(int from, int to) {
        inFlight.incrementAndGet(to);
        inFlight.decrementAndGet(from);
    }

    void end(int index, long epoch) {
        lastEpoch.accumulateAndGet(index, epoch, Math::max);
        inFlight.decrementAndGet(index);
    }

    /**
     * Returns the bit set of these domains' indexes.
     *
     * @param anyDomain whether the domains are only simulated
     */
    int indexes(Progress progress, boolean anyDomain) {
        int indexes = 0;
        for (int index = 0; index < DomainIndexes.LENGTH; index++) {
            long applied = progress.applied(anyDomain ? DomainIndexes.FOREIGN : index);
            if (inFlight.get(index) > 0 || lastEpoch.get(index) > applied) {
                indexes |= 1 << index;
            }
        }
        return indexes;
    }
}
