package io.understudy.plugins.blackbox;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Bytes in their order of arrival, each at an offset that only grows; released from the old end. Not thread-safe. */
final class ByteRing {
    private final Chunks chunks;
    private final List<ByteBuffer> used = new ArrayList<>();
    /** Offset of the first used chunk's first byte. */
    private long base;

    private long end;

    ByteRing(Chunks chunks) {
        this.chunks = chunks;
    }

    /** Returns the offset of the next byte. */
    long end() {
        return end;
    }

    /** Returns the bytes that its chunks occupy. */
    long bytes() {
        return (long) used.size() * Chunks.SIZE;
    }

    void append(ByteBuf buf, int index, int length) {
        int at = index;
        int left = length;
        while (left > 0) {
            int within = (int) ((end - base) % Chunks.SIZE);
            if (end - base == bytes()) {
                used.add(chunks.take());
            }
            ByteBuffer chunk = used.get(used.size() - 1);
            int part = Math.min(left, Chunks.SIZE - within);
            chunk.limit(within + part).position(within);
            buf.getBytes(at, chunk);
            at += part;
            left -= part;
            end += part;
        }
    }

    /** Removes the bytes from {@code offset} on. */
    void truncate(long offset) {
        end = offset;
        while (bytes() - Chunks.SIZE >= end - base && !used.isEmpty()) {
            chunks.give(used.remove(used.size() - 1));
        }
    }

    /** Releases all chunks. The next byte begins a new one. */
    void clear() {
        used.forEach(chunks::give);
        used.clear();
        base = end;
    }

    /** Releases the bytes before {@code offset}. */
    void release(long offset) {
        while (!used.isEmpty() && base + Chunks.SIZE <= offset) {
            chunks.give(used.remove(0));
            base += Chunks.SIZE;
        }
    }

    byte[] copy(long offset, int length) {
        byte[] bytes = new byte[length];
        int done = 0;
        while (done < length) {
            long from = offset + done - base;
            int within = (int) (from % Chunks.SIZE);
            int part = Math.min(length - done, Chunks.SIZE - within);
            used.get((int) (from / Chunks.SIZE)).get(within, bytes, done, part);
            done += part;
        }
        return bytes;
    }
}
