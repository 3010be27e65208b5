package io.understudy.plugins.mirror.statement;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.protocol.CommandCode;
import java.nio.charset.StandardCharsets;

/** Writes the command packets that the mirror adds to those of clients. */
public final class Commands {
    private Commands() {}

    public static ByteBuf text(ByteBufAllocator alloc, int code, String text) {
        return bytes(alloc, code, text.getBytes(StandardCharsets.UTF_8));
    }

    public static ByteBuf bytes(ByteBufAllocator alloc, int code, byte[] body) {
        return alloc.buffer(5 + body.length)
                .writeMediumLE(body.length + 1)
                .writeByte(0)
                .writeByte(code)
                .writeBytes(body);
    }

    public static ByteBuf closeStatement(ByteBufAllocator alloc, int statementId) {
        return alloc.buffer(9)
                .writeMediumLE(5)
                .writeByte(0)
                .writeByte(CommandCode.STMT_CLOSE)
                .writeIntLE(statementId);
    }
}
