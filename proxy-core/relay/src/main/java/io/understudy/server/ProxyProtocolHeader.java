package io.understudy.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.config.SendProxyProtocol;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * Writes the header of the PROXY protocol, the first bytes of a connection to the server, which carry the client's
 * address. Versions 1 and 2 as specified in HAProxy's {@code doc/proxy-protocol.txt}, addresses only.
 */
final class ProxyProtocolHeader {
    private static final byte[] SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int TCP4 = 0x11;
    private static final int TCP6 = 0x21;
    private static final int IPV6_BYTES = 16;

    private ProxyProtocolHeader() {}

    /**
     * Returns the header for a client at {@code source} that has connected to {@code destination}. For a client of a
     * Unix socket, which has no address, the header says UNKNOWN (version 1) or LOCAL (version 2).
     */
    static ByteBuf encode(
            ByteBufAllocator alloc, SendProxyProtocol version, SocketAddress source, SocketAddress destination) {
        boolean known = source instanceof InetSocketAddress from
                && destination instanceof InetSocketAddress to
                && from.getAddress() != null
                && to.getAddress() != null;
        if (!known) {
            return version == SendProxyProtocol.V1
                    ? text(alloc, "PROXY UNKNOWN\r\n")
                    : alloc.buffer(SIGNATURE.length + 4).writeBytes(SIGNATURE).writeInt(LOCAL << 24);
        }
        InetSocketAddress from = (InetSocketAddress) source;
        InetSocketAddress to = (InetSocketAddress) destination;
        boolean v4 = from.getAddress() instanceof Inet4Address && to.getAddress() instanceof Inet4Address;
        if (version == SendProxyProtocol.V1) {
            return text(
                    alloc,
                    "PROXY " + (v4 ? "TCP4 " : "TCP6 ") + name(from.getAddress(), v4) + " " + name(to.getAddress(), v4)
                            + " " + from.getPort() + " " + to.getPort() + "\r\n");
        }
        byte[] one = bytes(from.getAddress(), v4);
        byte[] two = bytes(to.getAddress(), v4);
        return alloc.buffer(SIGNATURE.length + 4 + one.length + two.length + 4)
                .writeBytes(SIGNATURE)
                .writeByte(PROXY)
                .writeByte(v4 ? TCP4 : TCP6)
                .writeShort(one.length + two.length + 4)
                .writeBytes(one)
                .writeBytes(two)
                .writeShort(from.getPort())
                .writeShort(to.getPort());
    }

    private static ByteBuf text(ByteBufAllocator alloc, String line) {
        return alloc.buffer(line.length()).writeBytes(line.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the address without a zone, which has no meaning on another host. */
    private static String name(InetAddress address, boolean v4) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        String plain = zone < 0 ? text : text.substring(0, zone);
        return !v4 && address instanceof Inet4Address ? "::ffff:" + plain : plain;
    }

    /** Returns the bytes of the address; an IPv4 address next to an IPv6 one is written in its mapped form. */
    private static byte[] bytes(InetAddress address, boolean v4) {
        byte[] own = address.getAddress();
        if (v4 || own.length == IPV6_BYTES) {
            return own;
        }
        byte[] mapped = new byte[IPV6_BYTES];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(own, 0, mapped, 12, own.length);
        return mapped;
    }
}
