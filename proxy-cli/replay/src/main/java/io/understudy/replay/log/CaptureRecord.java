package io.understudy.replay.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The record of a capture that was read last: lines of {@code # Key: value}, the last of which is the payload's length,
 * then the payload and a line break. A length cannot be forged by a statement's text.
 */
final class CaptureRecord {
    private static final int MAX_PAYLOAD = 64 << 20;
    private static final int MAX_KEYS = 64;
    private static final long MICROS = 1_000_000;

    private final LineBuffer in;
    private final Map<String, String> keys = new HashMap<>();
    private byte[] payload = new byte[0];
    private long line;

    CaptureRecord(LineBuffer in) {
        this.in = in;
    }

    /** Reads the next record. Returns false where the capture was cut off. */
    boolean read() throws IOException {
        line = in.line();
        keys.clear();
        while (true) {
            int end = in.end(in.at);
            if (end == in.limit()) {
                in.consume(end);
                return false;
            }
            String text = new String(in.bytes, in.at, end - in.at, StandardCharsets.ISO_8859_1);
            int colon = text.indexOf(": ");
            if (!text.startsWith("# ") || colon < 0) {
                throw in.damaged("a line that is no '# Key: value'");
            }
            String key = text.substring(2, colon);
            in.consume(end + 1);
            if (keys.size() == MAX_KEYS) {
                throw in.damaged("more than " + MAX_KEYS + " keys in one record");
            }
            if (keys.put(key, text.substring(colon + 2)) != null) {
                throw in.damaged("two keys " + key + " in one record");
            }
            if (key.equals("Payload_len")) {
                return payload((int) number(key, 0, MAX_PAYLOAD));
            }
        }
    }

    private boolean payload(int length) throws IOException {
        if (!in.has(in.at, length + 1)) {
            in.consume(in.limit());
            return false;
        }
        if (in.bytes[in.at + length] != '\n') {
            throw in.damaged("a payload that does not end where its length says");
        }
        payload = Arrays.copyOfRange(in.bytes, in.at, in.at + length);
        in.consume(in.at + length + 1);
        return true;
    }

    byte[] payload() {
        return payload;
    }

    /** Returns the number of the record's first line. */
    long line() {
        return line;
    }

    boolean has(String key) {
        return keys.containsKey(key);
    }

    @Nullable
    String value(String key) {
        return keys.get(key);
    }

    String value(String key, String otherwise) {
        return keys.getOrDefault(key, otherwise);
    }

    long number(String key, long otherwise, long most) throws IOException {
        String value = keys.get(key);
        if (value == null) {
            return otherwise;
        }
        try {
            long number = Long.parseUnsignedLong(value);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw in.damaged("expected a number up to " + most + " but found " + value);
    }

    /** Returns the statement's start in microseconds since 1970. */
    long start() throws IOException {
        String time = value("Time", "");
        try {
            OffsetDateTime at = OffsetDateTime.parse(time);
            return at.toEpochSecond() * MICROS + at.getNano() / 1_000;
        } catch (DateTimeException e) {
            throw in.damaged("expected a time such as 2026-01-15T09:05:01.123456Z but found " + time);
        }
    }

    /** Returns the text in a key's quotes, or null without the key. */
    @Nullable
    String text(String key) throws IOException {
        byte[] bytes = bytes(key);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns the bytes in a key's quotes, which are Go's, or null without the key. */
    byte @Nullable [] bytes(String key) throws IOException {
        String quoted = keys.get(key);
        return quoted == null ? null : unquoted(quoted);
    }

    private byte[] unquoted(String quoted) throws IOException {
        int end = quoted.length() - 1;
        if (end < 1 || quoted.charAt(0) != '"' || quoted.charAt(end) != '"') {
            throw in.damaged("a text without quotes");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(end);
        int at = 1;
        while (at < end) {
            char c = quoted.charAt(at++);
            if (c != '\\') {
                out.write(c);
                continue;
            }
            char escaped = quoted.charAt(at++);
            int digits = escaped == 'x' ? 2 : escaped == 'u' ? 4 : escaped == 'U' ? 8 : 0;
            if (at + digits > end) {
                throw in.damaged("an escape that is cut off");
            }
            if (digits > 0) {
                int code = (int) Long.parseLong(quoted.substring(at, at + digits), 16);
                at += digits;
                if (digits == 2) {
                    out.write(code);
                } else {
                    out.writeBytes(new String(Character.toChars(code)).getBytes(StandardCharsets.UTF_8));
                }
            } else {
                out.write(simple(escaped));
            }
        }
        return out.toByteArray();
    }

    private static int simple(char escaped) {
        return switch (escaped) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'a' -> 7;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'v' -> 11;
            default -> escaped;
        };
    }
}
