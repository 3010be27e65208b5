package io.understudy.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;

/** A separate allocator for one test. It detects unreleased buffers at once, without a garbage collection. */
public final class Memory {
    private final UnpooledByteBufAllocator alloc;

    private Memory(boolean direct) {
        alloc = new UnpooledByteBufAllocator(direct);
    }

    public static Memory heap() {
        return new Memory(false);
    }

    /** Returns direct buffers, as the relay uses them. The leak detector watches them too, so they are slow. */
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
