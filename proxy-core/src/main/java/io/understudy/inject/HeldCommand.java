package io.understudy.inject;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * What the client sends while a statement of ours that goes alone is not answered: kept unread, and passed on as it came. Exists only
 * that long. On the session's event loop.
 */
public final class HeldCommand {
    private final ArrayDeque<ByteBuf> bytes = new ArrayDeque<>(2);
    private final Consumer<ByteBuf> onwards;

    /** @param onwards takes what was held, and its ownership, in its order */
    public HeldCommand(Consumer<ByteBuf> onwards) {
        this.onwards = onwards;
    }

    /** Takes ownership. */
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
        bytes.forEach(ByteBuf::release);
        bytes.clear();
    }
}
