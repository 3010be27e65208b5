package io.understudy.plugins.mirror;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.protocol.CommandCode;
import java.nio.charset.StandardCharsets;

/** Writes the command packets that the mirror adds to those of clients. */
final class Commands {
    private Commands() {}

    static ByteBuf text(ByteBufAllocator alloc, int code, String text) {
        return bytes(alloc, code, text.getBytes(StandardCharsets.UTF_8));
    }

    static ByteBuf bytes(ByteBufAllocator alloc, int code, byte[] body) {
        return alloc.buffer(5 + body.length)
                .writeMediumLE(body.length + 1)
                .writeByte(0)
                .writeByte(code)
                .writeBytes(body);
    }

    static ByteBuf closeStatement(ByteBufAllocator alloc, int statementId) {
        return alloc.buffer(9)
                .writeMediumLE(5)
                .writeByte(0)
                .writeByte(CommandCode.STMT_CLOSE)
                .writeIntLE(statementId);
    }
}
