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
 * One direction of one connection. Each arriving buffer gets the time at which it may leave; buffers leave in order.
 * The time is set on arrival, so the delay adds latency without reducing throughput. Confined to the link's event loop.
 */
final class LinkLane {

    /** The lane stops reading above this number of buffered bytes: 85 ms at 3 Gbit/s. */
    static final int BUFFER_LIMIT = 32 << 20;

    /** Number of slices per second that a throttled lane sends. */
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

    /** Called for bytes that leave, with the time of their arrival. */
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

    /** Sets the action that runs once, after the end of the stream has been passed on. */
    void onEnd(Runnable action) {
        onEnd = action;
    }

    /** Returns whether the end of the stream has been passed on. */
    boolean hasEnded() {
        return ended;
    }

    /** Takes ownership of the buffer. */
    void bytes(ByteBuf bytes) {
        // Capacity rather than length: a small packet in a large read buffer occupies the whole buffer.
        add(Kind.BYTES, bytes, bytes.capacity());
    }

    void endOfStream() {
        add(Kind.END_OF_STREAM, null, 0);
    }

    /** Called before {@link #sourceGone()} if the source's connection was reset. */
    void sourceBroke() {
        broken = true;
    }

    /**
     * Called when the source has closed. The target is closed after the bytes in transit. It gets RST only if the
     * source was reset, because RST makes the target's kernel discard unread data. (After its output is shut down, a
     * channel may close on the peer's FIN without reporting the end of its input.)
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
        // Never before earlier bytes: the delay may have been lowered since.
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

    /** Sends what is due. Called whenever conditions or the target's writability change. */
    void release() {
        // A write may report a change of writability from within; the loop below notices it.
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

    /** Returns whether written bytes need a flush. */
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
        // After the last write: shutting down or closing at once would drop bytes that did not fit into the socket.
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

    /** Drops the bytes in transit; nothing is passed on afterwards. */
    void abandon() {
        dead = true;
        if (wakeUp != null) {
            wakeUp.cancel(false);
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
        if (wakeUp != null) {
            if (wakeUpAt - at <= 0) {
                return;
            }
            wakeUp.cancel(false);
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
