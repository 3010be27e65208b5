package io.understudy.inject;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that the client sends while a statement injected right after the login waits for its response: kept unread and
 * passed on unchanged. Afterwards {@link #NONE} takes its place. Must be used on the session's event loop.
 */
public final class HeldCommand {
    /** Holds nothing, and is given nothing to hold. */
    public static final HeldCommand NONE = new HeldCommand(bytes -> {});

    private final ArrayDeque<ByteBuf> bytes = new ArrayDeque<>(2);
    private final Consumer<ByteBuf> onwards;

    /** @param onwards receives the held buffers in order, with their ownership */
    public HeldCommand(Consumer<ByteBuf> onwards) {
        this.onwards = onwards;
    }

    /** Holds a buffer and takes ownership. */
    public void hold(ByteBuf more) {
        bytes.add(more);
    }

    /** Returns the first bytes, which stay held; null without any. Valid until the next call. */
    public @Nullable ByteBuf first() {
        return bytes.peek();
    }

    /** Takes off the first bytes, and passes their ownership. As many must be in {@link #first}. */
    public ByteBuf takeFirst(int length) {
        ByteBuf buffer = bytes.element();
        return buffer.readableBytes() == length ? bytes.remove() : buffer.readRetainedSlice(length);
    }

    /** Puts all bytes into one buffer. */
    public void gather(ByteBufAllocator alloc) {
        if (bytes.size() > 1) {
            ByteBuf all = alloc.buffer();
            for (ByteBuf next = bytes.poll(); next != null; next = bytes.poll()) {
                all.writeBytes(next);
                next.release();
            }
            bytes.add(all);
        }
    }

    public boolean holdsAny() {
        return !bytes.isEmpty();
    }

    public void passOn() {
        for (ByteBuf next = bytes.poll(); next != null; next = bytes.poll()) {
            onwards.accept(next);
        }
    }

    /** Releases held buffers, when the session ends. */
    public void drop() {
        for (ByteBuf next = bytes.poll(); next != null; next = bytes.poll()) {
            next.release();
        }
    }
}
