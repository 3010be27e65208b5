package io.understudy.connection;

import io.netty.channel.Channel;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import io.understudy.config.Transport;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Takes over a port from a process that still listens on it. With {@code SO_REUSEPORT} alone the kernel spreads new
 * connections over both listeners, and those that wait in the queue of one that closes are reset. A filter therefore
 * gives all of them to the newer listener, so that the older one can empty its queue before it closes. See
 * {@code SO_ATTACH_REUSEPORT_CBPF} in socket(7).
 */
public final class PortReuse {
    private static final int SOL_SOCKET = 1;
    private static final int SO_ATTACH_REUSEPORT_CBPF = 51;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    /** Offset in {@code struct tcp_info}; for a listener, the number of connections that wait to be accepted. */
    private static final int TCPI_UNACKED = 24;

    private static final int TCP_INFO_BYTES = 104;
    /** {@code BPF_RET | BPF_K}. */
    private static final short RETURN_CONSTANT = 0x06;
    /**
     * The kernel numbers listeners in the order in which they began; when one ends, the last one takes its number. An
     * index that does not exist, as that of a process without a predecessor, leaves the choice to the kernel.
     */
    private static final int SECOND = 1;

    private static final int FIRST = 0;

    private PortReuse() {}

    /** Returns why a transport cannot do it, with the remedy; null if it can. */
    public static @Nullable String problem(Transport kind) {
        return kind == Transport.EPOLL || kind == Transport.IO_URING
                ? null
                : "listen.reusePort needs epoll or io_uring, which this system does not offer (transport is " + kind
                        + "); remove the key";
    }

    /**
     * Has the kernel give new connections to the newer of two listeners. Called when a listener has begun.
     *
     * @throws IOException if the kernel refuses the filter
     */
    public static void preferNewer(Channel listener) throws IOException {
        prefer(listener, SECOND);
    }

    /**
     * Has the kernel give new connections to the older of two listeners. Called when the newer one is given up.
     *
     * @throws IOException if the kernel refuses the filter
     */
    public static void preferOlder(Channel listener) throws IOException {
        prefer(listener, FIRST);
    }

    private static void prefer(Channel listener, int index) throws IOException {
        // struct sock_filter { u16 code; u8 jt; u8 jf; u32 k; }
        ByteBuffer filter = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
        filter.putShort(RETURN_CONSTANT)
                .put((byte) 0)
                .put((byte) 0)
                .putInt(index)
                .flip();
        // struct sock_fprog { unsigned short len; struct sock_filter *filter; }, on 64 bits
        ByteBuffer program = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        program.putShort((short) 1).position(8);
        program.putLong(Buffer.memoryAddress(filter)).flip();
        socket(listener).setRawOpt(SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, program);
        Reference.reachabilityFence(filter);
    }

    /** Returns the number of connections that wait to be accepted; 0 if the listener is closed. */
    public static int waiting(Channel listener) {
        if (!listener.isOpen()) {
            return 0;
        }
        ByteBuffer info = ByteBuffer.allocateDirect(TCP_INFO_BYTES).order(ByteOrder.nativeOrder());
        try {
            socket(listener).getRawOpt(IPPROTO_TCP, TCP_INFO, info);
            return info.getInt(TCPI_UNACKED);
        } catch (IOException e) {
            return 0;
        }
    }

    private static Socket socket(Channel listener) {
        return new Socket(((UnixChannel) listener).fd().intValue());
    }
}
