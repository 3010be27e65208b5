package io.understudy.plugins.mirror.statement;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;

/** The form in which a SELECT is sent. A form other than {@link #PLAIN} is executed as well but returns no rows. */
public enum ExecutedForm {
    /** As the client wrote it. */
    PLAIN(""),
    /** MariaDB: returns one row with the page reads. */
    ANALYZE_JSON("ANALYZE FORMAT=JSON "),
    /** MariaDB: returns one row for each table. */
    ANALYZE("ANALYZE "),
    /** MySQL: returns one row, the tree of the plan. */
    EXPLAIN_ANALYZE("EXPLAIN ANALYZE ");

    private static final int HEADER = 4;
    private static final int CODE_AT = 4;
    private static final int TEXT_AT = 5;

    private final byte[] prefix;

    ExecutedForm(String prefix) {
        this.prefix = prefix.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a text in this form. */
    public byte[] of(byte[] text) {
        if (this == PLAIN) {
            return text;
        }
        byte[] out = new byte[prefix.length + text.length];
        System.arraycopy(prefix, 0, out, 0, prefix.length);
        System.arraycopy(text, 0, out, prefix.length, text.length);
        return out;
    }

    /** Returns a COM_QUERY with the text of {@code packet} in this form. */
    public ByteBuf of(ByteBufAllocator alloc, ByteBuf packet) {
        if (this == PLAIN) {
            return packet.retainedDuplicate();
        }
        int text = packet.readableBytes() - TEXT_AT;
        int length = 1 + prefix.length + text;
        return alloc.buffer(HEADER + length)
                .writeMediumLE(length)
                .writeByte(0)
                .writeByte(packet.getByte(packet.readerIndex() + CODE_AT))
                .writeBytes(prefix)
                .writeBytes(packet, packet.readerIndex() + TEXT_AT, text);
    }
}
