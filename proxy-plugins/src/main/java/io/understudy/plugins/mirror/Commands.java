package io.understudy.plugins.mirror;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;

/** Command packets that the mirror makes itself. */
final class Commands {
    static final int QUERY = 0x03;
    static final int INIT_DB = 0x02;
    static final int STMT_PREPARE = 0x16;
    static final int STMT_EXECUTE = 0x17;
    static final int CHANGE_USER = 0x11;
    static final int RESET_CONNECTION = 0x1F;
    static final int STMT_BULK_EXECUTE = 0xFA;
    private static final int STMT_CLOSE = 0x19;

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
                .writeByte(STMT_CLOSE)
                .writeIntLE(statementId);
    }
}
