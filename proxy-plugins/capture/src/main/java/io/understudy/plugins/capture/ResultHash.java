package io.understudy.plugins.capture;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.RowWatcher;

/**
 * A running hash of a result's rows as packets, in their order and in any order. Not for secrets: who knows a result
 * can tell whether it is that one. Not thread-safe.
 */
public final class ResultHash implements RowWatcher {
    /** Bytes of a row that are hashed; of a longer one also the length. Bounds what a session copies of one. */
    public static final int ROW_BYTES = 64 * 1024;

    private long ordered;
    private long unordered;
    private boolean partial;

    @Override
    public int rowBytes() {
        return ROW_BYTES;
    }

    @Override
    public void onRow(ByteBuf buf, int index, int shown, int length) {
        Hash64 hash = new Hash64();
        hash.add(buf, index, index + shown);
        hash.add(length);
        long row = hash.value();
        ordered = Hash64.chain(ordered, row);
        unordered += row;
        partial |= shown < length;
    }

    public CapturedResult result(long rows) {
        return new CapturedResult(rows, ordered, unordered, partial);
    }
}
