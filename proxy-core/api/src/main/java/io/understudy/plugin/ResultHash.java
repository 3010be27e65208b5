package io.understudy.plugin;

import io.netty.buffer.ByteBuf;

/**
 * Folds the rows of a result into two hashes, in their order and in any order; memory does not grow with the result.
 * The only such fold: captures, replays, comparisons and the mirror's check all use it. Not for secrets: who knows a
 * result can tell whether it is that one. Not thread-safe.
 */
public final class ResultHash implements RowWatcher {
    /** Bytes of a row that a capture hashes. Bounds what a session copies of one. */
    public static final int CAPTURED_BYTES = 64 * 1024;

    private final int rowBytes;
    private long ordered;
    private long unordered;
    private boolean partial;

    /** @param rowBytes how many bytes of a row are hashed; of a longer one also the length */
    public ResultHash(int rowBytes) {
        this.rowBytes = rowBytes;
    }

    @Override
    public int rowBytes() {
        return rowBytes;
    }

    @Override
    public void onRow(ByteBuf buf, int index, int shown, int length) {
        add(buf, index, shown, length);
    }

    /** Adds a row as {@link #onRow} does, from a reader that may show more of it. Returns the row's own hash. */
    public long add(ByteBuf buf, int index, int shown, int length) {
        int hashed = Math.min(shown, rowBytes);
        Hash64 hash = new Hash64();
        hash.add(buf, index, index + hashed);
        hash.add(length);
        long row = hash.value();
        add(row);
        partial |= hashed < length;
        return row;
    }

    /** Adds a row that the caller has hashed whole. */
    public void add(long row) {
        ordered = Hash64.chain(ordered, row);
        unordered += row;
    }

    public HashedResult result(long rows) {
        return new HashedResult(rows, ordered, unordered, partial);
    }
}
