package io.understudy.testkit.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.understudy.protocol.Capabilities;
import io.understudy.testkit.Bytes;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.ErrPacket;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One connection of a {@link FakeServer}, from the server's side. */
public final class FakeServerConnection {
    public static final byte[] SCRAMBLE = "01234567890123456789".getBytes(StandardCharsets.US_ASCII);
    public static final byte[] OK = {0, 0, 0, 2, 0, 0, 0};

    public static final long CAPABILITIES = Capabilities.LONG_PASSWORD
            | Capabilities.PROTOCOL_41
            | Capabilities.SECURE_CONNECTION
            | Capabilities.PLUGIN_AUTH
            | Capabilities.PLUGIN_AUTH_LENENC_DATA
            | Capabilities.CONNECT_ATTRS
            | Capabilities.MULTI_RESULTS
            | Capabilities.TRANSACTIONS
            | Capabilities.DEPRECATE_EOF;

    /** As an old server has them: results have EOF packets, and there are no attributes. */
    private static final long PLAIN = Capabilities.LONG_PASSWORD
            | Capabilities.CONNECT_WITH_DB
            | Capabilities.LOCAL_FILES
            | Capabilities.PROTOCOL_41
            | Capabilities.TRANSACTIONS
            | Capabilities.SECURE_CONNECTION
            | Capabilities.MULTI_RESULTS
            | Capabilities.PLUGIN_AUTH;

    private final DataInputStream in;
    private final OutputStream out;
    private int sequence;

    FakeServerConnection(Socket socket) throws IOException {
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    public InputStream in() {
        return in;
    }

    public void greet(String plugin) throws IOException {
        greet(plugin, CAPABILITIES);
    }

    /** Sends a handshake packet without capabilities that change how results look. */
    public void greetPlain() throws IOException {
        greet("mysql_native_password", PLAIN);
    }

    public void greet(String plugin, long capabilities) throws IOException {
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

    /** Sends a handshake packet, reads the HandshakeResponse41 and accepts it. */
    public void letIn() throws IOException {
        greet("mysql_native_password");
        receive();
        send(OK);
    }

    /** Accepts a login after {@link #greetPlain}. */
    public void letInPlain() throws IOException {
        greetPlain();
        receive();
        send(OK);
    }

    /** Sends as many physical packets as the payload requires, from the next sequence number on. */
    public void send(byte[] payload) throws IOException {
        raw(Bytes.packet(sequence, payload));
        sequence += payload.length / Packets.MAX_PAYLOAD + 1;
    }

    public void raw(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    public void error(int code, String message) throws IOException {
        ByteBuf err = new ErrPacket(code, "HY000", message).encode(ByteBufAllocator.DEFAULT, sequence++, true);
        raw(ByteBufUtil.getBytes(err));
        err.release();
    }

    /** Returns the next packet's payload. The following {@link #send} continues its sequence. */
    public byte[] receive() throws IOException {
        int length = in.readUnsignedByte() | in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16;
        sequence = in.readUnsignedByte() + 1;
        return in.readNBytes(length);
    }

    /** Returns whether the peer closes without sending another byte. */
    public boolean closedByPeer() throws IOException {
        return in.read() < 0;
    }
}
