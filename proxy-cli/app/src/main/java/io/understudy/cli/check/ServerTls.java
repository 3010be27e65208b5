package io.understudy.cli.check;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.understudy.config.Address;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.packet.HandshakeV10;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A server's response to a request for TLS; needs no account.
 *
 * @param offered whether the handshake packet offers TLS
 * @param certificate its certificate, or null without TLS
 */
record ServerTls(boolean offered, @Nullable X509Certificate certificate) {
    private static final int HEADER = 4;
    private static final int TLS_REQUEST = 32;
    private static final int UTF8MB4 = 45;
    private static final int MAX_HANDSHAKE_V10 = 64 * 1024;
    private static final int TIMEOUT_MILLIS = 5000;

    /** @throws IOException when the server cannot be reached or does not speak the protocol */
    static ServerTls of(Address address) throws IOException {
        try (Socket socket = new Socket()) {
            if ((handshakeV10(socket, address).capabilities() & Capabilities.SSL) == 0) {
                return new ServerTls(false, null);
            }
            requestTls(socket.getOutputStream());
            return new ServerTls(true, shown(socket, address));
        } catch (GeneralSecurityException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Returns the handshake packet.
     *
     * @throws IOException when the server cannot be reached or does not speak the protocol
     */
    static HandshakeV10 handshakeV10(Address address) throws IOException {
        try (Socket socket = new Socket()) {
            return handshakeV10(socket, address);
        }
    }

    private static HandshakeV10 handshakeV10(Socket socket, Address address) throws IOException {
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.connect(new InetSocketAddress(address.host(), address.port()), TIMEOUT_MILLIS);
        InputStream in = socket.getInputStream();
        byte[] header = in.readNBytes(HEADER);
        if (header.length < HEADER) {
            throw new IOException("the server closed the connection without a handshake packet");
        }
        int length = Unpooled.wrappedBuffer(header).getUnsignedMediumLE(0);
        if (length > MAX_HANDSHAKE_V10) {
            throw new IOException(
                    "the server's first packet has " + length + " bytes and cannot be a handshake packet");
        }
        try {
            return HandshakeV10.parse(Unpooled.wrappedBuffer(in.readNBytes(length)));
        } catch (MalformedPacketException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void requestTls(OutputStream out) throws IOException {
        byte[] packet = new byte[HEADER + TLS_REQUEST];
        ByteBuf buf = Unpooled.wrappedBuffer(packet).clear();
        buf.writeMediumLE(TLS_REQUEST).writeByte(1);
        long bits = Capabilities.LONG_PASSWORD
                | Capabilities.PROTOCOL_41
                | Capabilities.SSL
                | Capabilities.SECURE_CONNECTION
                | Capabilities.PLUGIN_AUTH;
        buf.writeIntLE((int) bits).writeIntLE(1 << 24).writeByte(UTF8MB4);
        out.write(packet);
        out.flush();
    }

    private static @Nullable X509Certificate shown(Socket socket, Address address)
            throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        // It is inspected, not trusted.
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        try (SSLSocket tls =
                (SSLSocket) context.getSocketFactory().createSocket(socket, address.host(), address.port(), true)) {
            tls.startHandshake();
            Certificate first = tls.getSession().getPeerCertificates()[0];
            return first instanceof X509Certificate x509 ? x509 : null;
        }
    }
}
