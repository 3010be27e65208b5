package io.understudy.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.understudy.plugin.PublishedStream;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The endless response of a stream, in chunks. Bytes are taken only while the channel is writable, so a client that
 * stops reading costs what its socket's buffers hold and the queue behind it. Confined to the event loop but for
 * {@link #ready}.
 */
final class StreamingResponse {
    private static final Logger LOG = LoggerFactory.getLogger(StreamingResponse.class);

    /** Items that arrive within this time leave together. */
    private static final int GATHER_MILLIS = 20;
    /** Chunks in one turn of the event loop, which health checks and scrapes share. */
    private static final int TURN = 4;

    private final ChannelHandlerContext context;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private PublishedStream.@Nullable Reader reader;

    StreamingResponse(ChannelHandlerContext context) {
        this.context = context;
    }

    void start(AdminRoutes.Opened opened, HttpVersion version) {
        reader = opened.reader();
        // A reader may stop for as long as it likes; a dead one is found by the keep-alive.
        context.pipeline().remove(WriteTimeoutHandler.class);
        context.channel().config().setOption(ChannelOption.SO_KEEPALIVE, true);
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        head.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, opened.contentType())
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set("X-Content-Type-Options", "nosniff")
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (version.equals(HttpVersion.HTTP_1_1)) {
            head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
        context.writeAndFlush(head);
        // Reading notices that the client disconnects.
        context.channel().config().setAutoRead(true);
        drain();
    }

    /** Called by any thread when the reader has something. */
    void ready() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                context.executor().schedule(this::drain, GATHER_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException stopping) {
                // The endpoint has ended, and the response with it.
            }
        }
    }

    void drain() {
        scheduled.set(false);
        PublishedStream.Reader from = reader;
        if (from == null) {
            return;
        }
        try {
            for (int i = 0; i < TURN && context.channel().isWritable(); i++) {
                byte[] bytes = from.take();
                if (bytes == null) {
                    if (from.ended()) {
                        finish();
                    }
                    return;
                }
                context.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)));
            }
        } catch (RuntimeException e) {
            LOG.warn("an admin stream failed", e);
            context.close();
            return;
        }
        if (context.channel().isWritable()) {
            context.executor().execute(this::drain);
        }
    }

    private void finish() {
        close();
        context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(ChannelFutureListener.CLOSE);
    }

    void close() {
        PublishedStream.Reader open = reader;
        reader = null;
        if (open != null) {
            open.close();
        }
    }
}
