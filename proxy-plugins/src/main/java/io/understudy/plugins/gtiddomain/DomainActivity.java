package io.understudy.plugins.gtiddomain;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/** In which domains any write is in flight or not applied everywhere, whatever its tables. Any thread. */
final class DomainActivity {
    private final AtomicIntegerArray inFlight = new AtomicIntegerArray(DomainSlots.LENGTH);
    private final AtomicLongArray lastEpoch = new AtomicLongArray(DomainSlots.LENGTH);

    void begin(int slot) {
        inFlight.incrementAndGet(slot);
    }

    void move(int from, int to) {
        inFlight.incrementAndGet(to);
        inFlight.decrementAndGet(from);
    }

    void end(int slot, long epoch) {
        lastEpoch.accumulateAndGet(slot, epoch, Math::max);
        inFlight.decrementAndGet(slot);
    }

    /**
     * Bits of the slots of these domains.
     *
     * @param anyDomain domains are only thought of
     */
    int slots(Progress progress, boolean anyDomain) {
        int slots = 0;
        for (int slot = 0; slot < DomainSlots.LENGTH; slot++) {
            long applied = progress.applied(anyDomain ? DomainSlots.FOREIGN : slot);
            if (inFlight.get(slot) > 0 || lastEpoch.get(slot) > applied) {
                slots |= 1 << slot;
            }
        }
        return slots;
    }
}
