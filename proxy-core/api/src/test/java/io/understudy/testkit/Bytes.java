package io.understudy.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Builds payloads and packets of servers and clients as arrays. */
public final class Bytes {
    private Bytes() {}

    public static byte[] of(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    public static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** Returns as many physical packets as the length requires. */
    public static byte[] packet(int sequence, byte[] payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int at = 0;
        int number = sequence;
        while (true) {
            int length = Math.min(0xFFFFFF, payload.length - at);
            out.write(length);
            out.write(length >> 8);
            out.write(length >> 16);
            out.write(number++);
            out.write(payload, at, length);
            at += length;
            if (length < 0xFFFFFF) {
                return out.toByteArray();
            }
        }
    }

    public static byte[] command(int code, byte[] body) {
        return packet(0, concat(of(code), body));
    }

    public static byte[] command(int code, String body) {
        return command(code, text(body));
    }

    public static byte[] int2(int value) {
        return of(value, value >> 8);
    }

    public static byte[] int4(int value) {
        return of(value, value >> 8, value >> 16, value >> 24);
    }

    /** Returns a length-encoded string of less than 251 bytes. */
    public static byte[] shortString(String text) {
        byte[] bytes = text(text);
        return concat(of(bytes.length), bytes);
    }

    /** Returns the payload of an OK packet without info and session state. */
    public static byte[] ok(int marker, int affected, int status, int warnings) {
        return concat(of(marker, affected, 0), int2(status), int2(warnings));
    }

    public static byte[] ok(int affected, int status) {
        return ok(0, affected, status, 0);
    }

    public static byte[] eof(int status) {
        return concat(of(0xFE), int2(0), int2(status));
    }

    public static byte[] err(int code, String message) {
        return concat(of(0xFF), int2(code), text("#42000" + message));
    }

    /** Returns MariaDB's progress report: an ERR packet with error code 0xFFFF. */
    public static byte[] progress() {
        return concat(of(0xFF, 0xFF, 0xFF, 1, 1, 2), of(0, 0, 0), shortString("copying"));
    }

    public static byte[] definition(String name) {
        return concat(
                shortString("def"),
                shortString("db"),
                shortString("t"),
                shortString("t"),
                shortString(name),
                shortString(name),
                of(0x0C, 33, 0, 0, 0, 0, 0, 0xFD, 0, 0, 0, 0, 0));
    }

    public static ByteBuf buffer(ByteBufAllocator alloc, byte[] bytes) {
        return alloc.buffer(Math.max(1, bytes.length)).writeBytes(bytes);
    }

    public static ByteBuf unpooled(byte[] bytes) {
        return Unpooled.wrappedBuffer(bytes);
    }

    public static byte[] slice(byte[] bytes, int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    public static byte[] read(ByteBuf buf) {
        byte[] bytes = new byte[buf.readableBytes()];
        buf.getBytes(buf.readerIndex(), bytes);
        return bytes;
    }
}
