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

    /** MariaDB's variable for the session's last GTID. */
    public static final String LAST_GTID = "last_gtid";

    /**
     * MariaDB's variable with which a server (11.3 and newer) directs clients to another address: its connectors leave
     * for it by themselves.
     */
    public static final String REDIRECT_URL = "redirect_url";

    private SessionState() {}

    /** Receives the entries in order. */
    public interface Visitor {
        default void variable(String name, String value) {}

        default void schema(String name) {}

        /** The GTIDs that the statement committed, in MySQL's text form, possibly a range. */
        default void gtids(String text) {}
    }

    /**
     * Parses the block of {@code length} bytes at {@code index}.
     *
     * @throws MalformedPacketException when an entry exceeds the block
     */
    public static void visit(ByteBuf buf, int index, int length, Visitor visitor) {
        int end = index + length;
        int at = index;
        while (at < end) {
            int type = buf.getUnsignedByte(at);
            int next = LengthEncoded.behind(buf, at + 1, end);
            int body = LengthEncoded.content(buf, at + 1);
            switch (type) {
                case SYSTEM_VARIABLE -> {
                    // MySQL and MariaDB may put several pairs into one entry.
                    while (body < next) {
                        int value = LengthEncoded.behind(buf, body, next);
                        String name = name(buf, LengthEncoded.content(buf, body), value);
                        body = LengthEncoded.behind(buf, value, next);
                        visitor.variable(name, text(buf, LengthEncoded.content(buf, value), body));
                    }
                }
                case SCHEMA -> visitor.schema(counted(buf, body, next));
                case GTIDS -> {
                    if (body < next) {
                        visitor.gtids(counted(buf, body + 1, next)); // after the encoding specification, always 0
                    }
                }
                default -> {
                    // Other types are not used.
                }
            }
            at = next;
        }
    }

    /**
     * Returns whether the block of {@code length} bytes at {@code index} gives a variable a value that is not empty.
     *
     * @throws MalformedPacketException when an entry exceeds the block
     */
    static boolean sets(ByteBuf buf, int index, int length, String variable) {
        int end = index + length;
        int at = index;
        while (at < end) {
            boolean variables = buf.getUnsignedByte(at) == SYSTEM_VARIABLE;
            int next = LengthEncoded.behind(buf, at + 1, end);
            int body = LengthEncoded.content(buf, at + 1);
            while (variables && body < next) {
                int name = LengthEncoded.content(buf, body);
                int value = LengthEncoded.behind(buf, body, next);
                body = LengthEncoded.behind(buf, value, next);
                if (is(buf, name, value - name, variable) && LengthEncoded.content(buf, value) < body) {
                    return true;
                }
            }
            at = next;
        }
        return false;
    }

    /** Returns a variable's name; a constant for the one that comes with every commit. */
    private static String name(ByteBuf buf, int from, int end) {
        return is(buf, from, end - from, LAST_GTID) ? LAST_GTID : text(buf, from, end);
    }

    private static String counted(ByteBuf buf, int at, int end) {
        int behind = LengthEncoded.behind(buf, at, end);
        return text(buf, LengthEncoded.content(buf, at), behind);
    }

    private static String text(ByteBuf buf, int from, int end) {
        return buf.toString(from, end - from, StandardCharsets.UTF_8);
    }

    /** Returns whether the bytes are these ASCII characters. */
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
}
