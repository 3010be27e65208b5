package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads a query event. Body: thread id (4), execution time (4), length of the schema's name (1), error (2), length of
 * the status variables (2), the status variables, the schema's name, a zero byte, the text.
 */
final class QueryEvent {
    private static final int FIXED = 13;
    private static final int LONGEST_WORD = 32;

    private QueryEvent() {}

    /**
     * Returns the first characters of the text in upper case: enough to recognise {@code BEGIN}, {@code COMMIT} and
     * {@code XA}. Empty if the text lies beyond {@code end}.
     *
     * @param end end of the text, or of the available part of it
     */
    static String start(ByteBuf buf, int body, int end) {
        int text = text(buf, body, end);
        if (text < 0) {
            return "";
        }
        return buf.toString(text, Math.min(LONGEST_WORD, end - text), StandardCharsets.ISO_8859_1)
                .strip()
                .toUpperCase(Locale.ROOT);
    }

    /** Returns the connection id of the client that ran it; 0 if that is not available. */
    static long thread(ByteBuf buf, int body, int end) {
        return body + FIXED > end ? 0 : buf.getUnsignedIntLE(body);
    }

    /** Returns the seconds that it took on the primary; 0 if that is not available. */
    static long seconds(ByteBuf buf, int body, int end) {
        return body + FIXED > end ? 0 : buf.getUnsignedIntLE(body + 4);
    }

    /**
     * Returns the text and its schema.
     *
     * @param end end of the available part
     * @param whole whether that is all of it
     */
    static LoggedStatement statement(ByteBuf buf, int body, int end, boolean whole) {
        int text = text(buf, body, end);
        if (text < 0) {
            return new LoggedStatement("", "", false);
        }
        int schema = buf.getUnsignedByte(body + 8);
        return new LoggedStatement(
                buf.toString(text - 1 - schema, schema, StandardCharsets.UTF_8),
                buf.toString(text, end - text, StandardCharsets.UTF_8),
                whole);
    }

    /** Returns the index at which the text begins; -1 if that is beyond {@code end}. */
    private static int text(ByteBuf buf, int body, int end) {
        if (body + FIXED > end) {
            return -1;
        }
        int schema = buf.getUnsignedByte(body + 8);
        int variables = buf.getUnsignedShortLE(body + 11);
        int text = body + FIXED + variables + schema + 1;
        return text >= end ? -1 : text;
    }
}
