package io.understudy.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;

/** An allocator of one test's own, which knows at once what has not come back: no garbage collection is waited for. */
public final class Memory {
    private final UnpooledByteBufAllocator alloc;

    private Memory(boolean direct) {
        alloc = new UnpooledByteBufAllocator(direct);
    }

    public static Memory heap() {
        return new Memory(false);
    }

    /** Buffers without an array, as the relay's are; watched by the leak detector too, hence slow. */
    public static Memory direct() {
        return new Memory(true);
    }

    public UnpooledByteBufAllocator alloc() {
        return alloc;
    }

    public long used() {
        return alloc.metric().usedDirectMemory() + alloc.metric().usedHeapMemory();
    }

    public void assertAllReturned() {
        assertThat(used()).as("bytes in buffers that nobody released").isZero();
    }
}
