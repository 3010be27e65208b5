package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.Future;
import io.understudy.wire.MalformedPacketException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes packets out of frames: three bytes of length, one of number, three of the length before compression, which is 0
 * for what was not worth compressing.
 *
 * <p>Inflates a piece only when the {@link Intake} takes it, because a few bytes received can hold a thousand times as
 * many. Has the socket left unread while received frames wait. Holds at most one read's bytes, or a frame of at most 64
 * KiB, and the decompressor of one frame, whose memory the {@link InflationBudget} bounds.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    /**
     * Bytes of a frame that is not compressed, or is short, at once: as many as one read of a plain connection gives.
     */
    private static final int SHORT = FrameEncoder.MAX_FRAME;
    /** Bytes of a longer frame inflated at once. */
    private static final int PIECE = 32 * 1024;
    /**
     * Bytes handed on before the event loop's other connections have their turn: as many as a plain connection's read
     * gives.
     */
    private static final int TURN = 64 * 1024;
    /** Bytes of a closed server connection that the client has not taken after this time are dropped. */
    private static final int LINGER_SECONDS = 60;

    private static final int WATCH_SECONDS = 1;

    private final Codec codec;
    private final FrameNumbers numbers;
    private final boolean peerIsClient;
    private final InflationBudget budget;
    private final PacketNumbers packets = new PacketNumbers() {
        @Override
        void number(ByteBuf buf, int index) {
            buf.setByte(index, numbers.packetReceived(buf.getUnsignedByte(index)));
        }
    };

    private @Nullable ChannelHandlerContext context;
    private Intake intake = Intake.UNBOUNDED;

    /** Received and not taken apart. */
    private ByteBuf frames = Unpooled.EMPTY_BUFFER;
    /** A copy made to wait, which {@link #frames} may be. */
    private @Nullable ByteBuf kept;

    /** Within a frame, whose header has been read. */
    private boolean inFrame;
    /** Bytes of the frame that are not used yet. */
    private int frameLeft;
    /** The content's length according to the frame; 0 if the frame is not compressed. */
    private int original;
    /** Of that, not made yet. */
    private int originalLeft;
    /** While a long compressed frame is being read; null behind the end of its data too. */
    private @Nullable Inflation inflation;
    /** Whether the rest of the frame is behind the end of its data. */
    private boolean dataEnded;

    private InflationBudget.@Nullable Share share;
    /** For the budget. */
    private boolean waiting;
    /** Some of {@link #frames} waits for the intake, the budget or the next turn. */
    private boolean undrained;

    private boolean running;
    private boolean resuming;
    /** The connection has closed. What it has sent is still handed on. */
    private boolean ending;
    /** What takes the rest of a closed connection, whose pipeline is empty. */
    private @Nullable ChannelHandlerContext last;

    private @Nullable Future<?> linger;
    /** Nothing takes what is left when the connection closes. */
    private boolean abandoned;

    private boolean ended;
    /** Events and tasks behind bytes that wait: the FIN and the close_notify among them. Made when there is one. */
    private @Nullable ArrayDeque<Object> events;

    FrameDecoder(Codec codec, FrameNumbers numbers, boolean peerIsClient, InflationBudget budget) {
        this.codec = codec;
        this.numbers = numbers;
        this.peerIsClient = peerIsClient;
        this.budget = budget;
    }

    void attach(Intake taker) {
        intake = taker;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf bytes = (ByteBuf) msg;
        if (ended) {
            bytes.release();
            return;
        }
        frames = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), frames, bytes);
        run(ctx);
    }

    /** Continues with the bytes that wait. In a later task, because the call may come from within {@link #run}. */
    void resume() {
        ChannelHandlerContext ctx = context;
        if (!undrained || waiting || resuming || ended || ctx == null) {
            return;
        }
        resuming = true;
        ctx.executor().execute(() -> {
            resuming = false;
            if (!ended) {
                run(ctx);
                readComplete(ctx);
            }
        });
    }

    private void readComplete(ChannelHandlerContext ctx) {
        ChannelHandlerContext taker = last;
        if (taker == null) {
            ctx.fireChannelReadComplete();
            return;
        }
        callLast(taker, ChannelInboundHandler::channelReadComplete);
        if (!undrained && !ended) {
            discard();
            callLast(taker, ChannelInboundHandler::channelInactive);
        }
    }

    private void run(ChannelHandlerContext ctx) {
        if (running || ended) {
            return;
        }
        running = true;
        try {
            boolean drained = handOn(ctx);
            if (!ended) {
                keepRest(ctx);
                hold(!drained || waiting);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(ctx, e);
        } finally {
            running = false;
        }
        if (undrained && intake.takesMore()) {
            resume();
        }
        passOnEvents(ctx);
    }

    private void passOnEvents(ChannelHandlerContext ctx) {
        ArrayDeque<Object> waitingEvents = events;
        if (waitingEvents == null || undrained || ended || last != null) {
            return;
        }
        events = null;
        for (Object event : waitingEvents) {
            if (event instanceof Runnable task) {
                task.run();
            } else {
                ctx.fireUserEventTriggered(event);
            }
        }
    }

    /** Returns whether more bytes have to come before there is more to hand on. */
    private boolean handOn(ChannelHandlerContext ctx) {
        int left = TURN;
        while (left > 0 && !ended && intake.takesMore()) {
            ByteBuf piece = next(ctx);
            if (piece == null) {
                return true;
            }
            left -= piece.readableBytes();
            ChannelHandlerContext taker = last;
            if (taker == null) {
                ctx.fireChannelRead(piece);
            } else {
                callLast(taker, (handler, its) -> handler.channelRead(its, piece));
            }
        }
        return !frames.isReadable() && !inFrame;
    }

    private void hold(boolean on) {
        if (undrained != on) {
            undrained = on;
            if (!ending) {
                intake.holdReading(on);
            }
        }
    }

    /** Copies the bytes that stay: a read's buffer is larger than they are, and may hold the bytes of other packets. */
    @SuppressWarnings("ReferenceEquality") // another buffer, not another content
    private void keepRest(ChannelHandlerContext ctx) {
        if (!frames.isReadable()) {
            frames.release();
            frames = Unpooled.EMPTY_BUFFER;
            kept = null;
        } else if (frames != kept) {
            frames = Fitting.exact(ctx, frames);
            kept = frames;
        }
    }

    private void fail(ChannelHandlerContext ctx, Throwable cause) {
        ChannelHandlerContext taker = last;
        discard();
        DecoderException failure = new DecoderException(cause);
        if (taker == null) {
            ctx.fireExceptionCaught(failure);
        } else {
            callLast(taker, (handler, its) -> handler.exceptionCaught(its, failure));
            callLast(taker, ChannelInboundHandler::channelInactive);
        }
    }

    /** Returns the next piece of content, or null if that takes more than has come. */
    private @Nullable ByteBuf next(ChannelHandlerContext ctx) {
        while (true) {
            if (!inFrame && !begin()) {
                return null;
            }
            ByteBuf piece = original == 0 ? asItIs() : isShort() ? whole(ctx) : inflated(ctx);
            if (inFrame && frameLeft == 0 && originalLeft == 0 && inflation == null) {
                inFrame = false;
            }
            if (piece != null) {
                packets.walk(piece, piece.readerIndex());
                return piece;
            }
            if (inFrame) {
                return null;
            }
        }
    }

    private boolean begin() {
        if (frames.readableBytes() < FrameEncoder.HEADER) {
            return false;
        }
        frameLeft = frames.readUnsignedMediumLE();
        numbers.frameReceived(frames.readUnsignedByte());
        original = frames.readUnsignedMediumLE();
        originalLeft = original;
        dataEnded = false;
        inFrame = true;
        return true;
    }

    private boolean isShort() {
        return frameLeft <= SHORT && original <= SHORT && inflation == null && !dataEnded;
    }

    private @Nullable ByteBuf asItIs() {
        int length = Math.min(SHORT, Math.min(frameLeft, frames.readableBytes()));
        frameLeft -= length;
        return length == 0 ? null : frames.readRetainedSlice(length);
    }

    private @Nullable ByteBuf whole(ChannelHandlerContext ctx) {
        if (frames.readableBytes() < frameLeft) {
            return null;
        }
        ByteBuf made = ctx.alloc().buffer(Math.min(original, 4 * frameLeft + 64));
        try {
            codec.decompress(frames.readSlice(frameLeft), made, original);
        } catch (RuntimeException | OutOfMemoryError e) {
            made.release();
            throw e;
        }
        frameLeft = 0;
        originalLeft = 0;
        if (!made.isReadable()) {
            made.release();
            return null;
        }
        return made;
    }

    private @Nullable ByteBuf inflated(ChannelHandlerContext ctx) {
        if (dataEnded) {
            int rest = Math.min(frameLeft, frames.readableBytes());
            frames.skipBytes(rest);
            frameLeft -= rest;
            return null;
        }
        Inflation current = inflation;
        if (current == null) {
            current = opened(ctx);
            if (current == null) {
                return null;
            }
            inflation = current;
        }
        ByteBuf in = frames.slice(frames.readerIndex(), Math.min(frameLeft, frames.readableBytes()));
        int room = Math.max(1, Math.min(PIECE, originalLeft));
        ByteBuf out = ctx.alloc().buffer(room);
        try {
            current.inflate(in, out, room);
            frames.skipBytes(in.readerIndex());
            frameLeft -= in.readerIndex();
            originalLeft -= out.readableBytes();
            checkEnd(current, out.isReadable());
        } catch (RuntimeException | OutOfMemoryError e) {
            out.release();
            throw e;
        }
        if (!out.isReadable()) {
            out.release();
            return null;
        }
        return Fitting.fitting(ctx, out);
    }

    private void checkEnd(Inflation current, boolean made) {
        if (originalLeft < 0
                || current.finished() && originalLeft > 0 && !codec.mayHoldLess()
                || !made && !current.finished() && frameLeft == 0) {
            throw new MalformedPacketException("a compressed frame says it holds " + original + " bytes, and does not");
        }
        InflationBudget.Share own = share;
        if (current.finished()) {
            dataEnded = true;
            originalLeft = 0;
            closeInflation();
        } else if (made && own != null) {
            own.progressed(PIECE);
        }
    }

    /**
     * Returns a decompressor for the frame that begins, or null while its bytes or the memory for it have to be waited
     * for.
     */
    private @Nullable Inflation opened(ChannelHandlerContext ctx) {
        if (waiting) {
            return null;
        }
        InflationBudget.Share own = share;
        if (own == null) {
            own = budget.share(() -> ctx.executor().execute(this::granted), () -> evictedSoon(ctx));
            share = own;
        }
        if (!own.isHeld()) {
            int there = Math.min(frameLeft, frames.readableBytes());
            long needed = codec.inflationBytes(frames.slice(frames.readerIndex(), there), frameLeft == there, original);
            if (needed < 0) {
                return null;
            }
            if (ending) {
                own.takeAtOnce(needed);
            } else if (!own.take(needed)) {
                waiting = true;
                watch(ctx);
                return null;
            }
        }
        return codec.inflation();
    }

    private void granted() {
        waiting = false;
        resume();
    }

    private void watch(ChannelHandlerContext ctx) {
        if (waiting) {
            budget.evictStalled();
            ctx.executor().schedule(() -> watch(ctx), WATCH_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void evictedSoon(ChannelHandlerContext ctx) {
        ctx.executor().execute(() -> {
            if (inflation != null && !ended) {
                fail(
                        ctx,
                        new InflationRefusedException("a compressed frame stayed unfinished while others waited for"
                                + " limits.inflationBytes"));
            }
        });
    }

    /** Keeps an event behind the bytes ahead of which it must not be processed: they may be commands. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (undrained) {
            keep(event);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    void afterReceived(Runnable task) {
        if (undrained) {
            keep(task);
        } else {
            task.run();
        }
    }

    private void keep(Object event) {
        ArrayDeque<Object> waitingEvents = events;
        if (waitingEvents == null) {
            waitingEvents = new ArrayDeque<>(2);
            events = waitingEvents;
        }
        waitingEvents.add(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        // Of a client nobody is left to take the responses.
        if (!peerIsClient && !ended && !abandoned) {
            ending = true;
            waiting = false;
            run(ctx);
            // What has just been handed on must leave, or no room for the rest is ever made.
            ctx.fireChannelReadComplete();
        }
        ChannelHandlerContext taker = ctx.pipeline().lastContext();
        if (ending && undrained && !ended && taker != null && taker.handler() instanceof ChannelInboundHandler) {
            // A server's close is not ahead of its last bytes, however many they hold.
            last = taker;
            linger = ctx.executor().schedule(() -> giveUp(taker), LINGER_SECONDS, TimeUnit.SECONDS);
            return;
        }
        discard();
        ctx.fireChannelInactive();
    }

    private void giveUp(ChannelHandlerContext taker) {
        if (!ended) {
            discard();
            callLast(taker, ChannelInboundHandler::channelInactive);
        }
    }

    /** Called when the session has ended: drops what a closed connection has left, or will have. */
    void sessionEnded() {
        abandoned = true;
        if (ending) {
            discard();
        }
    }

    /** A closed channel's pipeline passes nothing on, so the handler is called itself. */
    private static void callLast(ChannelHandlerContext taker, LateCall call) {
        try {
            call.on((ChannelInboundHandler) taker.handler(), taker);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private interface LateCall {
        void on(ChannelInboundHandler handler, ChannelHandlerContext its) throws Exception;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (last == null) {
            discard();
        }
    }

    private void discard() {
        ended = true;
        Future<?> timer = linger;
        if (timer != null) {
            timer.cancel(false);
        }
        frames.release();
        frames = Unpooled.EMPTY_BUFFER;
        kept = null;
        events = null;
        undrained = false;
        waiting = false;
        closeInflation();
    }

    private void closeInflation() {
        Inflation last = inflation;
        inflation = null;
        if (last != null) {
            last.close();
        }
        InflationBudget.Share own = share;
        if (own != null) {
            own.give();
        }
    }
}
