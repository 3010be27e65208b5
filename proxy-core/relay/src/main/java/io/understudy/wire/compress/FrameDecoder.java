package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.understudy.base.NoTask;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes packets out of frames.
 *
 * <p>Inflates a piece only when the {@link Intake} takes it, because a few bytes received can hold a thousand times as
 * many. Has the socket left unread while received frames wait.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    /**
     * Bytes handed on before the event loop's other connections have their turn: as many as a plain connection's read
     * gives.
     */
    private static final int TURN = 64 * 1024;
    /** Bytes of a closed server connection that the client has not taken after this time are dropped. */
    private static final int LINGER_SECONDS = 60;

    private final boolean peerIsClient;
    private final FrameReader frames;
    /** Events and tasks behind bytes that wait: the FIN and the close_notify among them. */
    private final ArrayDeque<Object> events = new ArrayDeque<>(1);

    /** Netty sets it before it calls anything else, and {@link #resume} does nothing before there are bytes. */
    @SuppressWarnings("NullAway.Init")
    private ChannelHandlerContext context;

    private Intake intake = Intake.UNBOUNDED;
    /** The context of the pipeline's last handler once the connection has closed with content left; null before. */
    private @Nullable ChannelHandlerContext late;

    private Future<?> linger = NoTask.NONE;

    /** Some of {@link #frames} waits for the intake, the budget or the next turn. */
    private boolean undrained;

    private boolean running;
    private boolean resuming;
    /** The connection has closed. What it has sent is still handed on. */
    private boolean ending;
    /** Nothing takes what is left when the connection closes. */
    private boolean abandoned;

    private boolean ended;

    FrameDecoder(Codec codec, FrameNumbers numbers, boolean peerIsClient, InflationBudget budget) {
        this.peerIsClient = peerIsClient;
        frames = new FrameReader(codec, numbers, budget, this::resume, this::evicted);
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
        frames.add(ctx, bytes);
        run(ctx);
    }

    /** Continues with the bytes that wait. In a later task, because the call may come from within {@link #run}. */
    void resume() {
        if (!undrained || frames.waits() || resuming || ended) {
            return;
        }
        resuming = true;
        ChannelHandlerContext ctx = context;
        ctx.executor().execute(() -> {
            resuming = false;
            if (!ended) {
                run(ctx);
                readComplete(ctx);
            }
        });
    }

    private void readComplete(ChannelHandlerContext ctx) {
        if (late == null) {
            ctx.fireChannelReadComplete();
        } else {
            callLast(ChannelInboundHandler::channelReadComplete);
        }
        if (late != null && !undrained && !ended) {
            close(ctx);
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
                frames.keepRest(ctx);
                hold(!drained || frames.waits());
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
        if (undrained || ended || late != null) {
            return;
        }
        Object event;
        while ((event = events.poll()) != null) {
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
            ByteBuf piece = frames.next(ctx);
            if (piece == null) {
                return true;
            }
            left -= piece.readableBytes();
            if (late == null) {
                ctx.fireChannelRead(piece);
            } else {
                callLast((handler, last) -> handler.channelRead(last, piece));
            }
        }
        return frames.drained();
    }

    private void hold(boolean on) {
        if (undrained != on) {
            undrained = on;
            if (!ending) {
                intake.holdReading(on);
            }
        }
    }

    private void fail(ChannelHandlerContext ctx, Throwable cause) {
        discard();
        DecoderException failure = new DecoderException(cause);
        if (late == null) {
            ctx.fireExceptionCaught(failure);
        } else {
            callLast((handler, last) -> {
                handler.exceptionCaught(last, failure);
                handler.channelInactive(last);
            });
        }
    }

    private void evicted() {
        if (frames.isOpen() && !ended) {
            fail(
                    context,
                    new InflationRefusedException(
                            "a compressed frame stayed unfinished while others waited for" + " limits.inflationBytes"));
        }
    }

    /** Keeps an event behind the bytes ahead of which it must not be processed: they may be commands. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (undrained) {
            events.add(event);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    void afterReceived(Runnable task) {
        if (undrained) {
            events.add(task);
        } else {
            task.run();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        // Only a server's frames are finished: nobody is left to take the responses to a client's.
        if (!peerIsClient && !ended && !abandoned) {
            ending = true;
            frames.waitNoLonger();
            run(ctx);
            // What has just been handed on must leave, or no room for the rest is ever made.
            ctx.fireChannelReadComplete();
        }
        ChannelHandlerContext last = ctx.pipeline().lastContext();
        if (ending && undrained && !ended && last != null && last.handler() instanceof ChannelInboundHandler) {
            // A server's close is not ahead of its last bytes, however many they hold.
            late = last;
            linger = last.executor().schedule(this::giveUp, LINGER_SECONDS, TimeUnit.SECONDS);
            return;
        }
        close(ctx);
    }

    /** A call of the pipeline's last handler with its context. */
    private interface LateCall {
        void on(ChannelInboundHandler handler, ChannelHandlerContext last) throws Exception;
    }

    /**
     * Calls the pipeline's last handler itself: Netty removes the handlers of a closed channel, so an event fired from
     * here would reach none of them.
     */
    private void callLast(LateCall call) {
        ChannelHandlerContext last = Objects.requireNonNull(late);
        try {
            call.on((ChannelInboundHandler) last.handler(), last);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void giveUp() {
        if (!ended) {
            close(context);
        }
    }

    private void close(ChannelHandlerContext ctx) {
        discard();
        if (late == null) {
            ctx.fireChannelInactive();
        } else {
            callLast(ChannelInboundHandler::channelInactive);
        }
    }

    /** Called when the session has ended: drops what a closed connection has left, or will have. */
    void sessionEnded() {
        abandoned = true;
        if (ending) {
            discard();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (late == null) {
            discard();
        }
    }

    private void discard() {
        ended = true;
        linger.cancel(false);
        frames.close();
        events.clear();
        undrained = false;
    }
}
