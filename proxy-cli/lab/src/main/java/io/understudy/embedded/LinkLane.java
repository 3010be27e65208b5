package io.understudy.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * One direction of one connection: a thread that reads and one that writes. Each arriving buffer gets the time at which
 * it may leave; buffers leave in order. The time is set on arrival, so the delay adds latency without reducing
 * throughput. Guarded by the link's lock.
 */
final class LinkLane {
    /** The lane stops reading above this number of buffered bytes: 85 ms at 3 Gbit/s. */
    static final int BUFFER_LIMIT = 32 << 20;

    private static final int READ = 64 << 10;
    /** Number of slices per second that a throttled lane sends. */
    private static final int SLICES_PER_SECOND = 50;

    /** @param bytes null for the end of the stream */
    private record Item(@Nullable ByteBuf bytes, boolean reset, long arrived, long due) {}

    private final DelayedLink link;
    private final long connection;
    private final boolean toTarget;
    /** The other direction of the same connection. */
    private final LinkLane back;

    private final Socket source;
    private final Socket target;
    private final Condition changed;
    private final Queue<Item> queue = new ArrayDeque<>();
    private long held;
    private long lastDue = System.nanoTime();
    private long freeAt = lastDue;
    /** Whether the end of the stream has been passed on, or its target is gone. */
    private boolean ended;

    /** Whether nothing is passed on any more. */
    private boolean dead;

    /** Makes the lane of a connection that leads to the server, and with it the one back. */
    LinkLane(DelayedLink link, long connection, Socket client, Socket server) {
        this(link, connection, client, server, null);
    }

    private LinkLane(DelayedLink link, long connection, Socket source, Socket target, @Nullable LinkLane there) {
        this.link = link;
        this.connection = connection;
        this.source = source;
        this.target = target;
        changed = link.lock.newCondition();
        toTarget = there == null;
        back = there == null ? new LinkLane(link, connection, target, source, this) : there;
    }

    /** Starts both directions. */
    void start() {
        for (LinkLane each : List.of(this, back)) {
            DelayedLink.start("read", each::read);
            DelayedLink.start("write", each::write);
        }
    }

    /** Wakes both directions up. */
    void wake() {
        changed.signalAll();
        back.changed.signalAll();
    }

    /** Closes both sockets with RST, and drops the bytes in transit. */
    void cut() {
        close(true);
    }

    private void close(boolean reset) {
        for (LinkLane each : List.of(this, back)) {
            each.dead = true;
            each.drop();
            close(each.source, reset);
        }
        wake();
        link.forget(toTarget ? this : back);
    }

    /** Closes with FIN, or with RST. */
    static void close(Socket socket, boolean reset) {
        try (socket) {
            if (reset) {
                socket.setSoLinger(true, 0);
            }
        } catch (IOException e) {
            // It is closed already.
        }
    }

    private void drop() {
        queue.clear();
        held = 0;
    }

    private void read() {
        byte[] buffer = new byte[READ];
        boolean reset = false;
        try {
            InputStream in = source.getInputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (!add(Unpooled.wrappedBuffer(Arrays.copyOf(buffer, count)), false)) {
                    return;
                }
            }
        } catch (IOException e) {
            reset = true;
        }
        add(null, reset);
    }

    /** Waits while too much is in transit. Returns false if the lane is dead. */
    private boolean add(@Nullable ByteBuf bytes, boolean reset) {
        link.lock.lock();
        try {
            if (!ended && !dead) {
                // Never before earlier bytes: the delay may have been lowered since.
                long arrived = System.nanoTime();
                lastDue = Math.max(lastDue, arrived + link.delayNanos);
                queue.add(new Item(bytes, reset, arrived, lastDue));
                held += bytes == null ? 0 : bytes.readableBytes();
                changed.signalAll();
            }
            while (held > BUFFER_LIMIT && !dead) {
                changed.awaitUninterruptibly();
            }
            return !dead;
        } finally {
            link.lock.unlock();
        }
    }

    private void write() {
        try {
            for (ByteBuf next = next(); next != null; next = next()) {
                next.readBytes(target.getOutputStream(), next.readableBytes());
            }
        } catch (IOException e) {
            // The target is gone: what it still sent, and its end, come by the other lane.
            link.change(this::endLane);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes both sockets once both directions have ended. */
    private void endLane() {
        ended = true;
        drop();
        if (back.ended) {
            close(false);
        }
    }

    /** Waits until bytes are due. Returns null when the lane has ended. */
    private @Nullable ByteBuf next() throws InterruptedException, IOException {
        link.lock.lock();
        try {
            while (!dead) {
                Item head = queue.peek();
                if (head == null || link.paused) {
                    changed.await();
                    continue;
                }
                long now = System.nanoTime();
                long wait = Math.max(head.due(), freeAt) - now;
                if (wait > 0) {
                    changed.awaitNanos(wait);
                } else if (head.bytes() != null) {
                    return take(head, head.bytes(), now);
                } else if (head.reset()) {
                    cut();
                } else {
                    target.shutdownOutput();
                    endLane();
                    return null;
                }
            }
            return null;
        } finally {
            link.lock.unlock();
        }
    }

    private ByteBuf take(Item head, ByteBuf bytes, long now) {
        long rate = link.bytesPerSecond;
        int slice = rate == 0 ? Integer.MAX_VALUE : (int) Math.min(Math.max(1, rate / SLICES_PER_SECOND), 1 << 20);
        ByteBuf out = bytes.readSlice(Math.min(slice, bytes.readableBytes()));
        if (!bytes.isReadable()) {
            queue.remove();
        }
        held -= out.readableBytes();
        if (rate > 0) {
            freeAt = Math.max(freeAt, now) + out.readableBytes() * TimeUnit.SECONDS.toNanos(1) / rate;
        }
        link.passed(connection, toTarget, out, head.arrived());
        changed.signalAll();
        return out;
    }
}
