package io.understudy.embedded;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP relay on 127.0.0.1 that simulates a longer and, on request, faulty network to one target. Each direction is
 * delayed by half of the round trip, without a limit on throughput. Order and half-closed connections are preserved.
 * TCP's own handshake is not delayed.
 *
 * <p>Thread-safe: a change is in force when the method returns. Bytes in transit keep their delay.
 */
public final class DelayedLink implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5000;

    /** Observes the bytes that pass. Called by one thread at a time: must not block, keep or change the buffer. */
    public interface Watch {
        /**
         * Called before bytes leave, in stream order per direction. One call may hold part of a packet or several
         * packets.
         *
         * @param connection number of the connection within its link, from 1
         * @param toTarget true for bytes towards the target
         * @param arrivedNanos {@link System#nanoTime} of the read that brought the bytes
         * @param leftNanos the current {@link System#nanoTime}
         */
        void passed(long connection, boolean toTarget, ByteBuf bytes, long arrivedNanos, long leftNanos);
    }

    /** Guards the conditions and all lanes; held for no input or output. */
    final ReentrantLock lock = new ReentrantLock();

    private final InetSocketAddress target;
    private final ServerSocket listener;
    /** The lane of each connection that leads to the target. */
    private final Set<LinkLane> connections = new HashSet<>();

    private long connected;
    private boolean refusing;

    boolean paused;
    long delayNanos;
    /** For each lane; 0 is no limit. */
    long bytesPerSecond;

    private Watch watch = (connection, toTarget, bytes, arrivedNanos, leftNanos) -> {};

    private DelayedLink(InetSocketAddress target, Duration rtt) {
        this.target = target;
        delay(rtt);
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new EmbeddedException("cannot listen on 127.0.0.1 for the link to " + target, e);
        }
        start("accept", this::accept);
    }

    /** Opens a link to {@code target} with the given round trip. */
    public static DelayedLink to(InetSocketAddress target, Duration rtt) {
        return new DelayedLink(target, rtt);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Returns the address to connect to instead of the target. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Sets the round trip for bytes that arrive from now on. */
    public void delay(Duration rtt) {
        if (rtt.isNegative()) {
            throw new IllegalArgumentException("round trip " + rtt + " is negative");
        }
        change(() -> delayNanos = rtt.toNanos() / 2);
    }

    /**
     * Stops the flow in both directions. Connections stay open and new ones are accepted, as on a network that hangs.
     */
    public void pause() {
        change(() -> paused = true);
    }

    /** Ends {@link #pause()} and {@link #refuse()}. */
    public void resume() {
        change(() -> {
            paused = false;
            refusing = false;
        });
    }

    /** Closes all connections with RST and drops the bytes in transit. New connections are still relayed. */
    public void cut() {
        change(() -> Set.copyOf(connections).forEach(LinkLane::cut));
    }

    /** Accepts new connections and closes them at once, until {@link #resume()}. Existing connections continue. */
    public void refuse() {
        change(() -> refusing = true);
    }

    /** Limits the throughput of each direction of each connection; 0 removes the limit. */
    public void throttle(long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("bytes per second: " + limit + " is negative; 0 is no limit");
        }
        change(() -> bytesPerSecond = limit);
    }

    /** Reports all bytes that leave the link from now on to {@code newWatch}. Replaces the previous watch. */
    public void watch(Watch newWatch) {
        change(() -> watch = newWatch);
    }

    /** Returns the number of currently relayed connections. */
    public int connections() {
        int[] count = new int[1];
        change(() -> count[0] = connections.size());
        return count[0];
    }

    /** Resets all connections. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new EmbeddedException("cannot close the link to " + target, e);
        }
        cut();
    }

    /** Runs a change under the lock, and wakes the lanes up. */
    void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            connections.forEach(LinkLane::wake);
        } finally {
            lock.unlock();
        }
    }

    /** Called under the lock when bytes leave. */
    void passed(long connection, boolean toTarget, ByteBuf bytes, long arrivedNanos) {
        watch.passed(connection, toTarget, bytes, arrivedNanos, System.nanoTime());
    }

    /** Called under the lock when both ends of a connection are closed. */
    void forget(LinkLane connection) {
        connections.remove(connection);
    }

    static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "delayed-link-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                start("connect", () -> join(client));
            } catch (IOException e) {
                // The listener was closed, or the client has gone.
            }
        }
    }

    private void join(Socket client) {
        Socket server = new Socket();
        lock.lock();
        try {
            if (refusing) {
                client.close();
                return;
            }
        } catch (IOException e) {
            return;
        } finally {
            lock.unlock();
        }
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
        } catch (IOException e) {
            LinkLane.close(client, true);
            LinkLane.close(server, true);
            return;
        }
        change(() -> {
            LinkLane connection = new LinkLane(this, ++connected, client, server);
            connections.add(connection);
            connection.start();
        });
    }
}
