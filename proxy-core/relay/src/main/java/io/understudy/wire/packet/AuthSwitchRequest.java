package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Protocol::AuthSwitchRequest, or Protocol::AuthNextFactor, which looks alike.
 *
 * @param data the method's first data, for most a scramble with a closing zero
 */
public record AuthSwitchRequest(String method, byte[] data) {
    /** Returns the parsed payload, or null if it names no method, as before 4.1. */
    public static @Nullable AuthSwitchRequest parse(ByteBuf payload) {
        int from = payload.readerIndex() + 1;
        int end = payload.indexOf(from, payload.writerIndex(), (byte) 0);
        if (end < 0) {
            return null;
        }
        return new AuthSwitchRequest(
                payload.toString(from, end - from, StandardCharsets.UTF_8),
                ByteBufUtil.getBytes(payload, end + 1, payload.writerIndex() - end - 1));
    }
}
