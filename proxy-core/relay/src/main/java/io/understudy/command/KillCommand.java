package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A client's KILL of a session that has gone on at another server, where it has another number: COM_PROCESS_KILL, or a
 * COM_QUERY that is nothing but {@code KILL} with a literal.
 */
final class KillCommand {
    /** Longest payload that is searched for a KILL. */
    static final int LIMIT = 1024;

    /** Payload of a COM_PROCESS_KILL: its code and a number. */
    static final int PROCESS_KILL = 5;

    private static final Pattern KILL = Pattern.compile(
            "(?:\\s|/\\*(?!M?!)(?:[^*]|\\*(?!/))*+\\*/)*+KILL\\s++(?:(?:HARD|SOFT)\\s++)?+"
                    + "(?:(?:CONNECTION|QUERY)\\s++|/\\*!\\d*+\\s*+(?:CONNECTION|QUERY)\\s*+\\*/\\s*+)?+"
                    + "(\\d{1,18})\\s*+;?+\\s*+",
            Pattern.CASE_INSENSITIVE);

    private KillCommand() {}

    /** Returns the packet to send in place of this one, or null if it is to go on unchanged. */
    static @Nullable ByteBuf renumbered(
            ByteBuf buf, int index, int length, SessionModel model, ByteBufAllocator alloc) {
        if (buf.getByte(index) == CommandCode.PROCESS_KILL) {
            boolean attributes = model.hasQueryAttributes();
            return length < PROCESS_KILL
                    ? null
                    : replaced(
                            attributes ? new byte[] {CommandCode.QUERY, 0, 1} : new byte[] {CommandCode.QUERY},
                            "KILL ",
                            buf.getUnsignedIntLE(index + 1),
                            "",
                            model,
                            alloc);
        }
        int textAt = StatementBytes.textOffset(buf, index, length, model.capabilities());
        String text = buf.toString(index + textAt, length - textAt, StandardCharsets.ISO_8859_1);
        Matcher kill = KILL.matcher(text);
        if (!kill.matches()) {
            return null;
        }
        byte[] head = new byte[textAt];
        buf.getBytes(index, head);
        return replaced(
                head,
                text.substring(0, kill.start(1)),
                Long.parseLong(kill.group(1)),
                text.substring(kill.end(1)),
                model,
                alloc);
    }

    private static @Nullable ByteBuf replaced(
            byte[] head, String before, long number, String after, SessionModel model, ByteBufAllocator alloc) {
        long present = model.presentThreadId(number);
        if (present == number) {
            return null;
        }
        // The server itself refuses, in its turn among the responses. It cuts a message at 128 characters.
        String sql = present == ThreadIds.AMBIGUOUS
                ? "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1094, MESSAGE_TEXT = 'Understudy: " + number
                        + " is the number of two sessions, one of which has moved here; KILL it without the proxy'"
                : before + present + after;
        byte[] text = sql.getBytes(StandardCharsets.ISO_8859_1);
        ByteBuf out = alloc.buffer(Packets.HEADER + head.length + text.length);
        int at = Packets.begin(out, 0);
        out.writeBytes(head).writeBytes(text);
        Packets.end(out, at);
        return out;
    }
}
