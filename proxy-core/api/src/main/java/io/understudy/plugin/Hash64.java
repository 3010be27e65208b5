package io.understudy.plugin;

import io.netty.buffer.ByteBuf;
import io.understudy.base.SplitMix64;

/** A running 64-bit hash whose every bit depends on all bytes. Not for secrets. */
public final class Hash64 {
    private static final long FIRST = 0x9E3779B97F4A7C15L;
    private static final long SECOND = 0xBF58476D1CE4E5B9L;

    private long state = FIRST;

    public void add(long value) {
        state = chain(state, value);
    }

    public void add(ByteBuf buf, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            add(buf.getLongLE(at));
        }
        long rest = (long) to - from;
        for (; at < to; at++) {
            rest = rest << Byte.SIZE | buf.getUnsignedByte(at);
        }
        add(rest);
    }

    public long value() {
        return SplitMix64.mix(state);
    }

    /** Returns the hash of what {@code before} stands for, followed by {@code value}. */
    public static long chain(long before, long value) {
        return Long.rotateLeft(before * SECOND, 27) ^ SplitMix64.mix(value + FIRST);
    }
}
