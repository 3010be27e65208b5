package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that the client sends while a statement injected right after the login waits for its response: kept unread and
 * passed on unchanged. Afterwards {@link #NONE} takes its place. Must be used on the session's event loop.
 */
final class HeldCommand {
    /** Holds nothing, and is given nothing to hold. */
    static final HeldCommand NONE = new HeldCommand(bytes -> {});

    private final Consumer<ByteBuf> onwards;
    private ByteBuf bytes = Unpooled.EMPTY_BUFFER;
    /** The bytes, if they came in several reads. */
    private @Nullable CompositeByteBuf several;

    /** @param onwards receives the held bytes with their ownership */
    HeldCommand(Consumer<ByteBuf> onwards) {
        this.onwards = onwards;
    }

    /** Holds a buffer and takes ownership. */
    void hold(ByteBuf more) {
        if (!more.isReadable()) {
            more.release();
        } else if (!holdsAny()) {
            bytes = more;
        } else {
            joined().addComponent(true, more);
        }
    }

    /** Returns the bytes as one buffer that takes more: one within the other, many reads would exhaust the stack. */
    private CompositeByteBuf joined() {
        CompositeByteBuf all = several;
        if (all == null) {
            all = Unpooled.compositeBuffer(Integer.MAX_VALUE).addComponent(true, take());
            several = all;
            bytes = all;
        }
        return all;
    }

    private ByteBuf take() {
        ByteBuf all = bytes;
        bytes = Unpooled.EMPTY_BUFFER;
        several = null;
        return all;
    }

    /** Returns the bytes, which stay held; null without any. Valid until the next call. */
    @Nullable
    ByteBuf first() {
        return holdsAny() ? bytes : null;
    }

    /** Takes off the first bytes, and passes their ownership. As many must be held. */
    ByteBuf takeFirst(int length) {
        return bytes.readableBytes() == length ? take() : bytes.readRetainedSlice(length);
    }

    boolean holdsAny() {
        return bytes.isReadable();
    }

    void passOn() {
        if (holdsAny()) {
            onwards.accept(take());
        }
    }

    /** Releases held bytes, when the session ends. */
    void drop() {
        take().release();
    }
}
