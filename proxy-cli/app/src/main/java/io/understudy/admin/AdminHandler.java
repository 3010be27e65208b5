package io.understudy.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.understudy.base.NoTask;
import io.understudy.plugin.PublishedStream;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: one request at a time, in order. Each request must be complete within a fixed time after the
 * connection or the previous response, however slowly its bytes arrive. This bounds idle and slow clients alike.
 */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final long LINGER_SECONDS = 2;

    private static final AdminResponse TOO_MANY = AdminResponse.error(
                    HttpResponseStatus.TOO_MANY_REQUESTS,
                    "this host has sent wrong tokens, and too many of its requests wait already; ask again in a second")
            .with("Retry-After", "1");

    private final AdminRoutes routes;
    private final Duration requestTimeout;
    private final AdminConnections connections;
    private final AdminStreams streams;
    private Future<?> deadline = NoTask.NONE;
    private boolean ending;
    private @Nullable StreamingResponse streaming;
    /** Completes when the connection has closed. */
    private final CompletableFuture<Void> gone = new CompletableFuture<>();

    /** @param streams to which connections with an endless response are added */
    AdminHandler(AdminRoutes routes, Duration requestTimeout, AdminConnections connections, AdminStreams streams) {
        this.streams = streams;
        this.routes = routes;
        this.requestTimeout = requestTimeout;
        this.connections = connections;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
        awaitRequest(context, false);
        super.channelActive(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        gone.complete(null);
        stopWaiting();
        if (streaming != null) {
            streaming.close();
        }
        super.channelInactive(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
        if (streaming != null) {
            streaming.drain();
        }
        super.channelWritabilityChanged(context);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (ending || streaming != null) {
            return;
        }
        stopWaiting();
        connections.serves(context.channel());
        // Responses come from other threads: further requests wait until this response is sent.
        context.channel().config().setAutoRead(false);
        Throwable unreadable = request.decoderResult().cause();
        if (unreadable != null) {
            send(context, refuse(unreadable), false, false);
            return;
        }
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        boolean head = request.method().equals(HttpMethod.HEAD);
        SocketAddress client = context.channel().remoteAddress();
        AdminResponse misdirected = routes.misdirected(request, client);
        if (misdirected != null) {
            send(context, misdirected, keepAlive, head);
            return;
        }
        if (routes.isSlowed(request, client)) {
            later(context, request, client);
            return;
        }
        respond(context, request, client);
    }

    /** Handles a request of a host that has sent wrong tokens, after a while. */
    private void later(ChannelHandlerContext context, FullHttpRequest request, SocketAddress client) {
        if (!routes.pace().begin(client)) {
            send(context, TOO_MANY, false, false);
            return;
        }
        request.retain();
        context.executor()
                .schedule(
                        () -> {
                            routes.pace().end(client);
                            try {
                                if (context.channel().isActive()) {
                                    respond(context, request, client);
                                }
                            } finally {
                                request.release();
                            }
                        },
                        TokenPace.DELAY.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private void respond(ChannelHandlerContext context, FullHttpRequest request, SocketAddress client) {
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        boolean head = request.method().equals(HttpMethod.HEAD);
        StreamingResponse stream = new StreamingResponse(context);
        AdminRoutes.Opened opened = routes.stream(request, client, stream::ready);
        if (opened != null) {
            AdminResponse refusal = opened.refusal();
            if (refusal != null) {
                send(context, refusal, keepAlive, head);
            } else {
                streaming = stream;
                streams.add(context.channel());
                stream.start(opened, request.protocolVersion());
            }
            return;
        }
        routes.response(request, client, gone)
                .thenAccept(response -> context.executor().execute(() -> send(context, response, keepAlive, head)));
    }

    private static AdminResponse refuse(Throwable unreadable) {
        if (unreadable instanceof TooLongHttpLineException) {
            return AdminResponse.error(HttpResponseStatus.REQUEST_URI_TOO_LONG, "the request line is too long");
        }
        if (unreadable instanceof TooLongHttpHeaderException) {
            return AdminResponse.error(HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too long");
        }
        return AdminResponse.error(HttpResponseStatus.BAD_REQUEST, "this is no HTTP/1.1 request");
    }

    private void send(ChannelHandlerContext context, AdminResponse response, boolean keepAlive, boolean head) {
        FullHttpResponse http = http(response, head);
        HttpUtil.setKeepAlive(http, keepAlive);
        context.writeAndFlush(http).addListener((ChannelFutureListener) sent -> {
            if (sent.isSuccess() && keepAlive) {
                awaitRequest(context, true);
                context.channel().config().setAutoRead(true);
            } else {
                end(context);
            }
        });
    }

    /**
     * Shuts down the output and reads until the client closes: closing at once could reset the connection amid the
     * response.
     */
    private void end(ChannelHandlerContext context) {
        ending = true;
        connections.waits(context.channel(), false);
        DuplexChannel channel = (DuplexChannel) context.channel();
        SslHandler tls = context.pipeline().get(SslHandler.class);
        if (tls == null) {
            channel.shutdownOutput();
        } else {
            // Without close_notify the client could take the end for a cut.
            tls.closeOutbound().addListener(sent -> channel.shutdownOutput());
        }
        context.channel().config().setAutoRead(true);
        deadline = context.executor().schedule(() -> context.close(), LINGER_SECONDS, TimeUnit.SECONDS);
    }

    static FullHttpResponse http(AdminResponse response, boolean head) {
        FullHttpResponse http = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                response.status(),
                head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(response.body()));
        http.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, response.contentType())
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set("X-Content-Type-Options", "nosniff");
        if (!response.status().equals(HttpResponseStatus.NOT_MODIFIED)) {
            http.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.body().length);
        }
        response.headers().forEach((name, value) -> http.headers().set(name, value));
        return http;
    }

    private void awaitRequest(ChannelHandlerContext context, boolean afterResponse) {
        connections.waits(context.channel(), afterResponse);
        deadline = context.executor().schedule(() -> context.close(), requestTimeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void stopWaiting() {
        deadline.cancel(false);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // A reset or a write timeout: no response is possible.
        context.close();
    }

    /**
     * The endless response of a stream, in chunks. Bytes are taken only while the channel is writable, so a client that
     * stops reading costs what its socket's buffers hold and the queue behind it. Confined to the event loop but for
     * {@link #ready}.
     */
    static final class StreamingResponse {
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
}
