package io.understudy.plugins.blackbox;

import java.nio.ByteBuffer;

/** Where the ring's bytes are put: pieces of one size, each used again when it is given back. Not thread-safe. */
interface Chunks extends AutoCloseable {
    /** Bytes of a chunk. */
    int SIZE = 256 * 1024;

    /** An empty chunk. The caller sees to it that there are no more than fit. */
    ByteBuffer take();

    void give(ByteBuffer chunk);

    @Override
    void close();

    /** Chunks in memory, outside of the heap's generations once they are old; a few are kept for the next use. */
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
