package io.understudy.inject;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * What the client sends while an injected statement that goes alone waits for its response: kept unread, and passed on as it
 * came. Exists only that long; then {@link #NONE} is in its place. On the session's event loop.
 */
public final class HeldCommand {
    /** Holds nothing. */
    public static final HeldCommand NONE = new HeldCommand(false, bytes -> {});

    private final boolean holding;
    private final ArrayDeque<ByteBuf> bytes = new ArrayDeque<>(2);
    private final Consumer<ByteBuf> onwards;

    /** @param onwards takes what was held, and its ownership, in its order */
    public HeldCommand(Consumer<ByteBuf> onwards) {
        this(true, onwards);
    }

    private HeldCommand(boolean holding, Consumer<ByteBuf> onwards) {
        this.holding = holding;
        this.onwards = onwards;
    }

    public boolean isHolding() {
        return holding;
    }

    /** Takes ownership. To be called only while {@link #isHolding}. */
    public void hold(ByteBuf more) {
        bytes.add(more);
    }

    public boolean holdsAny() {
        return !bytes.isEmpty();
    }

    public void passOn() {
        for (ByteBuf next = bytes.poll(); next != null; next = bytes.poll()) {
            onwards.accept(next);
        }
    }

    /** The session is over. */
    public void drop() {
        for (ByteBuf next = bytes.poll(); next != null; next = bytes.poll()) {
            next.release();
        }
    }
}
