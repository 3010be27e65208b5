package io.understudy.plugins.blackbox;

import java.nio.ByteBuffer;

/** Storage of the ring: pieces of one size, reused when released. Not thread-safe. */
interface Chunks extends AutoCloseable {
    /** Bytes of a chunk. */
    int SIZE = 256 * 1024;

    /**
     * Returns an empty chunk. The caller limits their number.
     *
     * @throws java.io.UncheckedIOException if there is no room for it; there may be later
     */
    ByteBuffer take();

    void give(ByteBuffer chunk);

    @Override
    void close();

    /** Chunks in memory; a few are retained for reuse. */
    final class Heap implements Chunks {
        private static final int SPARE = 4;
        private final java.util.ArrayDeque<ByteBuffer> spare = new java.util.ArrayDeque<>();

        @Override
        public ByteBuffer take() {
            ByteBuffer chunk = spare.poll();
            return chunk == null ? ByteBuffer.allocate(SIZE) : chunk.clear();
        }

        @Override
        public void give(ByteBuffer chunk) {
            if (spare.size() < SPARE) {
                spare.add(chunk);
            }
        }

        @Override
        public void close() {
            spare.clear();
        }
    }
}
