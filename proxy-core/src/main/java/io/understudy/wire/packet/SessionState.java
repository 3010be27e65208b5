package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.MalformedPacketException;
import java.nio.charset.StandardCharsets;

/**
 * Walks the session-state block of an OK packet: entries of a type byte and a length-encoded body.
 *
 * <p>Source: MySQL source documentation, "OK_Packet, Session State Information"; MariaDB uses the same types 0 to 2 and
 * sends {@code last_gtid} as a system variable (type 0).
 */
public final class SessionState {
    public static final int SYSTEM_VARIABLE = 0;
    public static final int SCHEMA = 1;
    public static final int STATE_CHANGE = 2;
    public static final int GTIDS = 3;

    /** MariaDB's variable with the session's last GTID. */
    public static final String LAST_GTID = "last_gtid";

    private SessionState() {}

    /** Receives the entries in order. */
    public interface Visitor {
        default void variable(String name, String value) {}

        default void schema(String name) {}

        /** GTIDs of what the statement committed: MySQL's text form, possibly a range. */
        default void gtids(String text) {}
    }

    /**
     * Reads the block of {@code length} bytes at {@code index}.
     *
     * @throws MalformedPacketException when an entry reaches beyond the block
     */
    public static void visit(ByteBuf buf, int index, int length, Visitor visitor) {
        ByteBuf in = buf.slice(index, length);
        while (in.isReadable()) {
            int type = in.readUnsignedByte();
            int size = LengthEncoded.readLength(in);
            ByteBuf body = in.readSlice(size);
            switch (type) {
                case SYSTEM_VARIABLE -> {
                    // MySQL and MariaDB may put several pairs into one entry.
                    while (body.isReadable()) {
                        String name = name(body);
                        visitor.variable(name, text(body));
                    }
                }
                case SCHEMA -> visitor.schema(text(body));
                case GTIDS -> {
                    if (body.isReadable()) {
                        body.skipBytes(1); // encoding specification, always 0
                        visitor.gtids(text(body));
                    }
                }
                default -> {
                    // Types added later say nothing to us.
                }
            }
        }
    }

    /** A variable's name; of the one that comes with every commit no new string is made. */
    private static String name(ByteBuf in) {
        int start = in.readerIndex();
        int length = LengthEncoded.readLength(in);
        if (is(in, in.readerIndex(), length, LAST_GTID)) {
            in.skipBytes(length);
            return LAST_GTID;
        }
        in.readerIndex(start);
        return text(in);
    }

    /** Whether the bytes are these ASCII characters. */
    static boolean is(ByteBuf buf, int index, int length, String ascii) {
        if (length != ascii.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (buf.getByte(index + i) != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static String text(ByteBuf in) {
        int length = LengthEncoded.readLength(in);
        String text = in.toString(in.readerIndex(), length, StandardCharsets.UTF_8);
        in.skipBytes(length);
        return text;
    }
}
