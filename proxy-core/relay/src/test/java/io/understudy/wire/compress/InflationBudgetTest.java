package io.understudy.wire.compress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class InflationBudgetTest {
    private final AtomicLong nanos = new AtomicLong();
    private final InflationBudget budget = new InflationBudget(10, nanos::get);
    private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
    private final AtomicInteger evicted = new AtomicInteger();

    private InflationBudget.Share share() {
        return budget.share(() -> {}, evicted::incrementAndGet);
    }

    private void runLoop() {
        Runnable task;
        while ((task = loop.poll()) != null) {
            task.run();
        }
    }

    /** As by a reload: nobody behind the frame would ever get memory. */
    @Test
    void aFrameThatNeedsMoreThanALoweredLimitGoesAlone() {
        InflationBudget.Share first = share();
        InflationBudget.Share large = share();
        InflationBudget.Share behind = share();
        assertThat(first.take(5, loop::add)).isTrue();
        assertThat(large.take(8, loop::add)).isFalse();
        assertThat(behind.take(2, loop::add)).isFalse();
        budget.setLimit(6);
        first.give();
        assertThat(large.isHeld()).isTrue();
        assertThat(behind.isHeld()).isFalse();
        large.give();
        assertThat(behind.isHeld()).isTrue();
    }

    @Test
    void anEvictionThatComesLateSparesTheNextFrame() {
        InflationBudget.Share stalled = share();
        InflationBudget.Share other = share();
        assertThat(stalled.take(10, loop::add)).isTrue();
        assertThat(other.take(10, loop::add)).isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
        budget.evictStalled();
        stalled.give(); // its frame has ended, ahead of the task
        other.give();
        assertThat(stalled.take(10, loop::add)).isTrue();
        runLoop();
        assertThat(evicted).hasValue(0);

        assertThat(other.take(10, loop::add)).isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
        budget.evictStalled();
        runLoop();
        assertThat(evicted).hasValue(1);
    }
}
