package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.config.Address;
import io.understudy.wire.Capabilities;
import io.understudy.wire.packet.ErrPacket;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server for one connection that follows a test's script, over a real socket. */
final class FakeServer implements AutoCloseable {
    static final byte[] SCRAMBLE = "01234567890123456789".getBytes(StandardCharsets.US_ASCII);
    static final byte[] OK = {0, 0, 0, 2, 0, 0, 0};

    static final long CAPABILITIES = Capabilities.LONG_PASSWORD
            | Capabilities.PROTOCOL_41
            | Capabilities.SECURE_CONNECTION
            | Capabilities.PLUGIN_AUTH
            | Capabilities.PLUGIN_AUTH_LENENC_DATA
            | Capabilities.CONNECT_ATTRS
            | Capabilities.MULTI_RESULTS
            | Capabilities.TRANSACTIONS
            | Capabilities.DEPRECATE_EOF;

    /** Handles the server's side of the connection. */
    interface Script {
        void run(FakeServer server) throws Exception;
    }

    private final ServerSocket listener;
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private @Nullable Socket socket;
    private DataInputStream in = new DataInputStream(InputStream.nullInputStream());
    private OutputStream out = OutputStream.nullOutputStream();
    private int sequence;

    FakeServer(Script script) throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(
                () -> {
                    try (Socket accepted = listener.accept()) {
                        socket = accepted;
                        in = new DataInputStream(accepted.getInputStream());
                        out = accepted.getOutputStream();
                        script.run(this);
                        finished.complete(null);
                    } catch (Throwable e) {
                        finished.completeExceptionally(e);
                    }
                },
                "fake-server");
        thread.setDaemon(true);
        thread.start();
    }

    Address address() {
        return Address.parse("127.0.0.1:" + listener.getLocalPort());
    }

    /** Waits for the end of the script and rethrows its failure. */
    void await() throws Exception {
        finished.get(20, TimeUnit.SECONDS);
    }

    void greet(String plugin) throws IOException {
        greet(plugin, CAPABILITIES);
    }

    void greet(String plugin, long capabilities) throws IOException {
        ByteBuf body = Unpooled.buffer();
        body.writeByte(10).writeBytes("8.4.0\0".getBytes(StandardCharsets.US_ASCII));
        body.writeIntLE(77).writeBytes(SCRAMBLE, 0, 8).writeByte(0);
        body.writeShortLE((int) capabilities).writeByte(45).writeShortLE(2);
        body.writeShortLE((int) (capabilities >>> 16)).writeByte(21).writeZero(10);
        body.writeBytes(SCRAMBLE, 8, 12).writeByte(0);
        body.writeBytes(plugin.getBytes(StandardCharsets.US_ASCII)).writeByte(0);
        sequence = 0;
        send(ByteBufUtil.getBytes(body));
    }

    /** Sends a greeting, reads the handshake response and accepts it. */
    void letIn() throws IOException {
        greet("mysql_native_password");
        receive();
        send(OK);
    }

    /** Sends a packet with the next sequence number. */
    void send(byte[] payload) throws IOException {
        raw(header(payload.length, sequence++));
        raw(payload);
    }

    static byte[] header(int length, int sequence) {
        return new byte[] {(byte) length, (byte) (length >> 8), (byte) (length >> 16), (byte) sequence};
    }

    void raw(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    void error(int code, String message) throws IOException {
        ByteBuf err = new ErrPacket(code, "HY000", message).encode(ByteBufAllocator.DEFAULT, sequence++, true);
        raw(ByteBufUtil.getBytes(err));
        err.release();
    }

    /** Returns the next packet's payload. The following {@link #send} continues its sequence. */
    byte[] receive() throws IOException {
        int length = in.readUnsignedByte() | in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16;
        sequence = in.readUnsignedByte() + 1;
        return in.readNBytes(length);
    }

    /** Returns whether the peer closes without sending another byte. */
    boolean closedByPeer() throws IOException {
        return in.read() < 0;
    }

    ByteBuf parse(byte[] payload) {
        return UnpooledByteBufAllocator.DEFAULT.heapBuffer().writeBytes(payload);
    }

    static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    static byte[] concat(byte[]... parts) {
        ByteBuf all = Unpooled.wrappedBuffer(parts);
        return ByteBufUtil.getBytes(all);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        if (socket != null) {
            socket.close();
        }
    }
}
