package io.understudy.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One direction of one connection. Arriving bytes are stamped with the time at which they may leave, and leave in
 * order. The stamp is taken at arrival, so delay costs latency and no throughput. Confined to the link's event loop.
 */
final class LinkLane {

    /** Maximum bytes that a lane holds before it stops reading: 85 ms at 3 Gbit/s. */
    static final int BUFFER_LIMIT = 32 << 20;

    /** A throttled lane sends this many slices per second. */
    private static final int SLICES_PER_SECOND = 50;

    private enum Kind {
        BYTES,
        END_OF_STREAM,
        CLOSE,
        RESET
    }

    private record Item(
            Kind kind, long arrived, long due, @Nullable ByteBuf bytes, int cost) {}

    private final Channel source;
    private final Channel target;
    private final LinkConditions conditions;
    private final LongAdder relayed;
    private final Watch watch;
    private final Queue<Item> queue = new ArrayDeque<>();
    private long held;
    private long lastDue = System.nanoTime();
    private long freeAt = lastDue;
    private @Nullable Future<?> wakeUp;
    private long wakeUpAt;
    private boolean releasing;
    private boolean broken;
    private boolean ended;
    private boolean dead;
    private Runnable onEnd = () -> {};

    /** Told of bytes that leave, and when they came. */
    interface Watch {
        void passed(ByteBuf bytes, long arrivedNanos);
    }

    LinkLane(Channel source, Channel target, LinkConditions conditions, LongAdder relayed, Watch watch) {
        this.source = source;
        this.target = target;
        this.conditions = conditions;
        this.relayed = relayed;
        this.watch = watch;
    }

    /** Called once, when the end of the stream has been passed on. */
    void onEnd(Runnable action) {
        onEnd = action;
    }

    /** Whether the end of the stream has been passed on. */
    boolean hasEnded() {
        return ended;
    }

    /** Takes ownership of the buffer. */
    void bytes(ByteBuf bytes) {
        // Capacity, not length: a small packet in a large read buffer holds all of it.
        add(Kind.BYTES, bytes, bytes.capacity());
    }

    void endOfStream() {
        add(Kind.END_OF_STREAM, null, 0);
    }

    /** The source's connection was reset; to be said before {@link #sourceGone()}. */
    void sourceBroke() {
        broken = true;
    }

    /**
     * The source is gone: the target learns it after what is still under way. It gets RST only if the source broke, as
     * RST makes the target's system throw away what its program has yet to read. (A channel whose output was shut down
     * before may close on the peer's FIN without reporting the end of its input.)
     */
    void sourceGone() {
        add(broken ? Kind.RESET : Kind.CLOSE, null, 0);
    }

    private void add(Kind kind, @Nullable ByteBuf bytes, int cost) {
        if (dead) {
            if (bytes != null) {
                bytes.release();
            }
            return;
        }
        // Never before what came earlier: the delay may have been lowered meanwhile.
        long arrived = System.nanoTime();
        long due = Math.max(lastDue, arrived + conditions.delayNanos());
        lastDue = due;
        queue.add(new Item(kind, arrived, due, bytes, cost));
        held += cost;
        if (held > BUFFER_LIMIT) {
            source.config().setAutoRead(false);
        }
        release();
    }

    /** Lets go what may go now; to be called whenever conditions or the target's writability change. */
    void release() {
        // Writing may report a change of writability from within; the loop below sees it by itself.
        if (releasing) {
            return;
        }
        releasing = true;
        try {
            boolean again = true;
            while (again && !dead) {
                again = releaseDue();
                if (again) {
                    target.flush();
                }
            }
        } finally {
            releasing = false;
        }
        if (!dead && held <= BUFFER_LIMIT / 2 && !source.config().isAutoRead()) {
            source.config().setAutoRead(true);
        }
    }

    /** Returns whether bytes were written that want a flush. */
    private boolean releaseDue() {
        boolean wrote = false;
        Item head;
        while ((head = queue.peek()) != null && !conditions.paused()) {
            long now = System.nanoTime();
            long at = Math.max(head.due(), freeAt);
            if (at - now > 0) {
                wakeUpAt(at, now);
                break;
            }
            if (head.bytes() == null) {
                queue.remove();
                end(head.kind());
                if (dead) {
                    break;
                }
            } else if (target.isWritable()) {
                target.write(take(head, head.bytes(), now), target.voidPromise());
                wrote = true;
            } else {
                break;
            }
        }
        return wrote;
    }

    private ByteBuf take(Item head, ByteBuf bytes, long now) {
        long rate = conditions.bytesPerSecond();
        int slice = rate == 0 ? Integer.MAX_VALUE : (int) Math.min(Math.max(1, rate / SLICES_PER_SECOND), 1 << 20);
        ByteBuf out;
        if (bytes.readableBytes() > slice) {
            out = bytes.readRetainedSlice(slice);
        } else {
            queue.remove();
            held -= head.cost();
            out = bytes;
        }
        if (rate > 0) {
            freeAt = Math.max(freeAt, now) + out.readableBytes() * TimeUnit.SECONDS.toNanos(1) / rate;
        }
        relayed.add(out.readableBytes());
        watch.passed(out, head.arrived());
        return out;
    }

    private void end(Kind kind) {
        if (kind == Kind.RESET) {
            abandon();
            reset(target);
            return;
        }
        // Behind all that is written: shutting down or closing at once would drop what the socket had no room for.
        target.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (kind == Kind.CLOSE) {
                abandon();
                target.close();
            } else {
                ended = true;
                ((DuplexChannel) target).shutdownOutput();
                onEnd.run();
            }
        });
    }

    /** Drops what is under way; nothing will be passed on any more. */
    void abandon() {
        dead = true;
        Future<?> pending = wakeUp;
        if (pending != null) {
            pending.cancel(false);
        }
        Item item;
        while ((item = queue.poll()) != null) {
            if (item.bytes() != null) {
                item.bytes().release();
            }
        }
        held = 0;
    }

    private void wakeUpAt(long at, long now) {
        Future<?> pending = wakeUp;
        if (pending != null) {
            if (wakeUpAt - at <= 0) {
                return;
            }
            pending.cancel(false);
        }
        wakeUpAt = at;
        wakeUp = target.eventLoop()
                .schedule(
                        () -> {
                            wakeUp = null;
                            release();
                        },
                        at - now,
                        TimeUnit.NANOSECONDS);
    }

    /** Closes with RST instead of FIN. */
    static void reset(Channel channel) {
        if (channel.isOpen()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.close();
        }
    }
}
