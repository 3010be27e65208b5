package io.understudy.it.legs;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client that records every received byte, for a user without a password. */
final class RawClient implements AutoCloseable {
    static final int SESSION_TRACK = 1 << 23;
    static final int DEPRECATE_EOF = 1 << 24;
    /** CLIENT_MYSQL, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH. */
    private static final int BASE = 1 | 1 << 9 | 1 << 13 | 1 << 15 | 1 << 19;

    private final Socket socket;
    private final DataInputStream in;
    final byte[] loginResponse;

    RawClient(int port, String user, int capabilities) throws IOException {
        this(port, user, capabilities, "");
    }

    /** @param first sent before anything else, one byte per character */
    RawClient(int port, String user, int capabilities, String first) throws IOException {
        socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", port), 5000);
        socket.setSoTimeout(10_000);
        in = new DataInputStream(socket.getInputStream());
        socket.getOutputStream().write(first.getBytes(StandardCharsets.ISO_8859_1));
        packet();
        ByteArrayOutputStream reply = new ByteArrayOutputStream();
        int bits = BASE | capabilities;
        reply.write(new byte[] {(byte) bits, (byte) (bits >> 8), (byte) (bits >> 16), (byte) (bits >> 24)});
        reply.write(new byte[] {0, 0, 0, 1, 45});
        reply.write(new byte[23]);
        reply.write((user + "\0\0mysql_native_password\0").getBytes(StandardCharsets.US_ASCII));
        send(reply.toByteArray(), 1);
        loginResponse = packet();
    }

    /** Reads a packet with its header. */
    private byte[] packet() throws IOException {
        byte[] header = new byte[4];
        in.readFully(header);
        int length = header[0] & 0xFF | (header[1] & 0xFF) << 8 | (header[2] & 0xFF) << 16;
        byte[] whole = java.util.Arrays.copyOf(header, 4 + length);
        in.readFully(whole, 4, length);
        return whole;
    }

    private void send(byte[] payload, int sequence) throws IOException {
        byte[] whole = new byte[4 + payload.length];
        whole[0] = (byte) payload.length;
        whole[1] = (byte) (payload.length >> 8);
        whole[3] = (byte) sequence;
        System.arraycopy(payload, 0, whole, 4, payload.length);
        socket.getOutputStream().write(whole);
    }

    /** Sends a command whose response is one packet. */
    byte[] command(int code, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        byte[] payload = new byte[body.length + 1];
        payload[0] = (byte) code;
        System.arraycopy(body, 0, payload, 1, body.length);
        send(payload, 0);
        return packet();
    }

    /** Runs a query of one column without NULLs. Returns all packets of its response. */
    List<byte[]> rows(String sql, boolean deprecateEof) throws IOException {
        List<byte[]> all = new ArrayList<>();
        all.add(command(3, sql));
        int ends = deprecateEof ? 1 : 2;
        while (ends > 0) {
            byte[] next = packet();
            all.add(next);
            boolean end = (next[4] & 0xFF) == 0xFE && all.size() > 2;
            ends -= end ? 1 : 0;
        }
        return all;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
