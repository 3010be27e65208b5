package io.understudy.it;

import io.understudy.protocol.CommandCode;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A protocol client that does what drivers do not: any command, any number of pipelined commands, any bytes. Supports
 * mysql_native_password only. Not thread-safe.
 */
public final class RawClient implements AutoCloseable {
    static final long LONG_PASSWORD = 1;
    static final long CONNECT_WITH_DB = 8;
    static final long LOCAL_FILES = 128;
    static final long PROTOCOL_41 = 512;
    static final long TRANSACTIONS = 1 << 13;
    static final long SECURE_CONNECTION = 1 << 15;
    static final long MULTI_STATEMENTS = 1 << 16;
    static final long MULTI_RESULTS = 1 << 17;
    static final long PLUGIN_AUTH = 1 << 19;
    static final long CONNECT_ATTRS = 1 << 20;
    public static final long SESSION_TRACK = 1 << 23;
    public static final long DEPRECATE_EOF = 1 << 24;
    public static final long PLAIN =
            LONG_PASSWORD | LOCAL_FILES | PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION | MULTI_RESULTS | PLUGIN_AUTH;

    private static final int MAX_PAYLOAD = 0xFFFFFF;
    private static final int TIMEOUT_MILLIS = 20_000;

    private final @Nullable Socket socket;
    private final Closeable closeable;
    private final InputStream in;
    private final OutputStream out;
    private byte[] scramble = new byte[0];
    private long threadId;
    private long serverCapabilities;
    private int collation = 45;
    private String attribute = "app";
    private String attributeValue = "shop";

    private RawClient(@Nullable Socket socket, Closeable closeable, InputStream in, OutputStream out) {
        this.socket = socket;
        this.closeable = closeable;
        this.in = new BufferedInputStream(in, 65536);
        this.out = new BufferedOutputStream(out, 65536);
    }

    /** Returns a client over streams that are not a TCP socket's. */
    static RawClient over(InputStream in, OutputStream out, Closeable closeable) {
        return new RawClient(null, closeable, in, out);
    }

    /** Connects without reading or sending. */
    public static RawClient open(SocketAddress address) throws IOException {
        return open(address, 0);
    }

    /** @param receiveBuffer size in bytes; 0 for the system's default */
    static RawClient open(SocketAddress address, int receiveBuffer) throws IOException {
        Socket socket = new Socket();
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        InetSocketAddress inet = (InetSocketAddress) address;
        socket.connect(new InetSocketAddress(inet.getAddress(), inet.getPort()), TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return new RawClient(socket, socket, socket.getInputStream(), socket.getOutputStream());
    }

    static RawClient login(SocketAddress address, ServerUnderTest server) throws IOException {
        return login(address, server, PLAIN);
    }

    static RawClient login(SocketAddress address, ServerUnderTest server, long capabilities) throws IOException {
        RawClient client = open(address);
        client.login(server.user(), server.password(), ServerUnderTest.SCHEMA, capabilities);
        return client;
    }

    /** Sets the collation id of the login; one byte, as in HandshakeResponse41. */
    public void collation(int id) {
        collation = id;
    }

    /** Sets the connection attribute of a login with {@link #CONNECT_ATTRS}. */
    void attribute(String name, String value) {
        attribute = name;
        attributeValue = value;
    }

    /** Logs in and expects OK. */
    void login(String user, String password, String schema, long capabilities) throws IOException {
        Packet response = tryLogin(user, password, schema, capabilities);
        if (!response.isOk()) {
            throw new IOException("login failed: " + response.errorCode() + " " + response.errorText());
        }
    }

    /** Logs in and returns the server's last packet, OK or ERR. */
    public Packet tryLogin(String user, String password, String schema, long capabilities) throws IOException {
        return tryLogin(user, password, schema, capabilities, 1);
    }

    /** Reads the handshake packet, ahead of {@link #handshakeResponse}. */
    void awaitHandshakeV10() throws IOException {
        Packet handshakeV10 = read();
        if (handshakeV10.isErr()) {
            throw new IOException("refused: " + handshakeV10.errorCode() + " " + handshakeV10.errorText());
        }
        parseHandshakeV10(handshakeV10.payload());
    }

    /** @param number of the packet with the login: 2 behind an SSLRequest */
    Packet tryLogin(String user, String password, String schema, long capabilities, int number) throws IOException {
        awaitHandshakeV10();
        send(number, handshakeResponse(user, password, schema, capabilities));
        return finishAuthentication(password);
    }

    /**
     * Switches to mysql_native_password if the server requests another plugin first. Returns the server's last packet.
     */
    Packet finishAuthentication(String password) throws IOException {
        Packet response = read();
        if (response.first() == 0xFE) {
            byte[] request = response.payload();
            int end = indexOfZero(request, 1);
            byte[] fresh = new byte[20];
            System.arraycopy(request, end + 1, fresh, 0, 20);
            send(response.sequence() + 1, nativePassword(password, fresh));
            response = read();
        }
        return response;
    }

    /** Waits longer for every read than a machine without load needs. */
    void timeout(Duration most) throws IOException {
        Objects.requireNonNull(socket).setSoTimeout((int) most.toMillis());
    }

    private void parseHandshakeV10(byte[] bytes) {
        int at = indexOfZero(bytes, 1) + 1;
        threadId = uint(bytes, at, 4);
        scramble = new byte[20];
        System.arraycopy(bytes, at + 4, scramble, 0, 8);
        serverCapabilities = uint(bytes, at + 13, 2) | uint(bytes, at + 18, 2) << 16;
        if ((serverCapabilities & LONG_PASSWORD) == 0) {
            serverCapabilities |= uint(bytes, at + 27, 4) << 32;
        }
        System.arraycopy(bytes, at + 31, scramble, 8, 12);
    }

    byte[] handshakeResponse(String user, String password, String schema, long capabilities) {
        byte[] token = nativePassword(password, scramble);
        Payload response = new Payload()
                .uint(capabilities | CONNECT_WITH_DB, 4)
                .uint(1 << 24, 4)
                .uint(collation, 1)
                .zeros(19)
                .uint(capabilities >>> 32, 4)
                .text(user)
                .uint(0, 1)
                .uint(token.length, 1)
                .raw(token)
                .text(schema)
                .uint(0, 1)
                .text("mysql_native_password")
                .uint(0, 1);
        if ((capabilities & CONNECT_ATTRS) != 0) {
            int length = 2 + attribute.length() + attributeValue.length();
            response.uint(length, 1)
                    .uint(attribute.length(), 1)
                    .text(attribute)
                    .uint(attributeValue.length(), 1)
                    .text(attributeValue);
        }
        return response.bytes();
    }

    byte[] scramble() {
        return scramble;
    }

    long threadId() {
        return threadId;
    }

    long serverCapabilities() {
        return serverCapabilities;
    }

    /** Returns {@code SHA1(password) XOR SHA1(scramble + SHA1(SHA1(password)))}; empty for an empty password. */
    static byte[] nativePassword(String password, byte[] scramble) {
        if (password.isEmpty()) {
            return new byte[0];
        }
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-1");
            byte[] once = sha.digest(password.getBytes(StandardCharsets.UTF_8));
            byte[] twice = sha.digest(once);
            sha.update(scramble);
            byte[] mask = sha.digest(twice);
            for (int i = 0; i < once.length; i++) {
                once[i] ^= mask[i];
            }
            return once;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends a payload with sequence numbers from {@code sequence} on, split into packets as the protocol requires. */
    void send(int sequence, byte[] payload) throws IOException {
        write(sequence, payload);
        out.flush();
    }

    /** Like {@link #send} without the flush, so that several commands can be sent at once. */
    public void write(int sequence, byte[] payload) throws IOException {
        int at = 0;
        int number = sequence;
        while (true) {
            int length = Math.min(MAX_PAYLOAD, payload.length - at);
            out.write(length);
            out.write(length >> 8);
            out.write(length >> 16);
            out.write(number++);
            out.write(payload, at, length);
            at += length;
            if (length < MAX_PAYLOAD) {
                return;
            }
        }
    }

    public void flush() throws IOException {
        out.flush();
    }

    /** Sends bytes that need not be packets. */
    public void sendRaw(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    public void command(int code, byte[] arguments) throws IOException {
        send(0, new Payload().uint(code, 1).raw(arguments).bytes());
    }

    public void command(int code, String arguments) throws IOException {
        command(code, arguments.getBytes(StandardCharsets.UTF_8));
    }

    void query(String sql) throws IOException {
        command(3, sql);
    }

    /** Sends COM_CHANGE_USER; {@link #finishAuthentication} reads what follows. */
    void changeUser(String user, String password) throws IOException {
        byte[] token = nativePassword(password, scramble);
        command(
                CommandCode.CHANGE_USER,
                new Payload()
                        .text(user)
                        .uint(0, 1)
                        .uint(token.length, 1)
                        .raw(token)
                        .uint(0, 1)
                        .uint(45, 2)
                        .text("mysql_native_password")
                        .uint(0, 1)
                        .bytes());
    }

    /** Sends a statement and expects OK. */
    public void execute(String sql) throws IOException {
        query(sql);
        Packet response = read();
        if (!response.isOk()) {
            throw new IOException(sql + ": " + response.errorCode() + " "
                    + (response.isErr() ? response.errorText() : response.hex()));
        }
    }

    /**
     * Reads a packet.
     *
     * @throws EOFException if the peer has closed
     */
    public Packet read() throws IOException {
        int length = octet() | octet() << 8 | octet() << 16;
        int sequence = octet();
        byte[] payload = in.readNBytes(length);
        if (payload.length < length) {
            throw new EOFException("closed within a packet");
        }
        return new Packet(sequence, payload);
    }

    private int octet() throws IOException {
        int value = in.read();
        if (value < 0) {
            throw new EOFException("closed");
        }
        return value;
    }

    /**
     * Reads the packets of one response with column definitions and rows, or its single packet. Expects EOF packets.
     */
    public List<Packet> readResult() throws IOException {
        List<Packet> packets = new ArrayList<>();
        Packet head = read();
        packets.add(head);
        if (head.isErr() || head.isOk()) {
            return packets;
        }
        for (int ends = 0; ends < 2; ) {
            Packet next = read();
            packets.add(next);
            if (next.isErr()) {
                return packets;
            }
            if (next.isEof()) {
                ends++;
            }
        }
        return packets;
    }

    /** Reads bytes that need not be packets. Returns fewer only at the end of the stream. */
    byte[] readBytes(int count) throws IOException {
        return in.readNBytes(count);
    }

    /** Reads packets until the peer closes. */
    List<Packet> readAll() throws IOException {
        List<Packet> packets = new ArrayList<>();
        try {
            while (true) {
                packets.add(read());
            }
        } catch (EOFException | java.net.SocketException closed) {
            return packets;
        }
    }

    /** Reads and discards bytes. Returns less than {@code wanted} only at the end of the stream. */
    long skip(long wanted) throws IOException {
        byte[] buffer = new byte[1 << 16];
        long done = 0;
        while (done < wanted) {
            int read = in.read(buffer, 0, (int) Math.min(buffer.length, wanted - done));
            if (read < 0) {
                break;
            }
            done += read;
        }
        return done;
    }

    /** Shuts down the output (FIN); responses can still be read. */
    void shutdownOutput() throws IOException {
        out.flush();
        Objects.requireNonNull(socket).shutdownOutput();
    }

    /** Closes with RST instead of FIN, without COM_QUIT. */
    void reset() throws IOException {
        Objects.requireNonNull(socket).setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        closeable.close();
    }

    private static int indexOfZero(byte[] bytes, int from) {
        int at = from;
        while (bytes[at] != 0) {
            at++;
        }
        return at;
    }

    static long uint(byte[] bytes, int at, int size) {
        long value = 0;
        for (int i = 0; i < size; i++) {
            value |= (bytes[at + i] & 0xFFL) << 8 * i;
        }
        return value;
    }
}
