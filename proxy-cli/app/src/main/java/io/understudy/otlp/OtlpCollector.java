package io.understudy.otlp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.config.OtlpConfig;
import io.understudy.connection.SectionTls;
import io.understudy.handshake.tls.TlsFilesException;
import io.understudy.otlp.OtlpCollector.ResponseStart.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client of one collector: a connection for each request, closed whatever becomes of it. The client of the JDK
 * leaves a connection open whose response cannot be read, and has threads that end only after a garbage collection.
 *
 * <p>Certificates are read by the first request. Must be used by one thread.
 */
final class OtlpCollector implements AutoCloseable {
    private static final int LONGEST_LINE = 4096;
    private static final int LONGEST_HEADERS = 65_536;
    private static final int CHUNK = 8192;

    private final OtlpConfig config;
    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("otlp-http", true), NioIoHandler.newFactory());
    private @Nullable SslContext tls;

    OtlpCollector(OtlpConfig config) {
        this.config = config;
    }

    /**
     * Posts a request and waits for the response.
     *
     * @return what the collector has to say about metrics that it did not take, or an empty text
     * @throws CollectorException if it does not take them
     */
    String post(byte[] body, Duration timeout) throws CollectorException, InterruptedException {
        Response response;
        try {
            response = send(body, timeout);
        } catch (TimeoutException e) {
            throw new CollectorException(
                    "no response within " + timeout.toMillis() + " ms; check the collector, and the firewall before it",
                    e);
        } catch (ExecutionException e) {
            throw new CollectorException(explain(e.getCause() == null ? e : e.getCause()), e);
        } catch (IOException e) {
            throw new CollectorException(explain(e), e);
        }
        if (response.status() / 100 != 2) {
            throw new CollectorException(refusal(response, body.length));
        }
        return response.text();
    }

    private Response send(byte[] body, Duration timeout)
            throws IOException, CollectorException, InterruptedException, TimeoutException, ExecutionException {
        long deadline = System.nanoTime() + timeout.toNanos();
        ResponseStart reader = new ResponseStart();
        Channel channel = connect(reader, timeout);
        try {
            // Where writing fails, there may be a response all the same, or reading fails too.
            channel.writeAndFlush(request(body));
            return reader.response().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } finally {
            channel.close();
        }
    }

    /** Tries the host's addresses in turn. Its name is looked up on this thread: nothing but pushes waits for it. */
    private Channel connect(ResponseStart reader, Duration timeout)
            throws IOException, CollectorException, InterruptedException {
        URI uri = config.url().uri();
        SslContext encryption = encryption(uri);
        InetAddress[] addresses = InetAddress.getAllByName(uri.getHost());
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis() / addresses.length)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (encryption != null) {
                            channel.pipeline()
                                    .addLast(encryption.newHandler(channel.alloc(), bare(uri.getHost()), port(uri)));
                        }
                        channel.pipeline()
                                .addLast(new HttpClientCodec(LONGEST_LINE, LONGEST_HEADERS, CHUNK))
                                .addLast(reader);
                    }
                });
        Throwable last = null;
        for (InetAddress address : addresses) {
            ChannelFuture connected = bootstrap.connect(new InetSocketAddress(address, port(uri)));
            try {
                connected.await();
            } catch (InterruptedException e) {
                connected.channel().close();
                throw e;
            }
            if (connected.isSuccess()) {
                return connected.channel();
            }
            last = connected.cause();
        }
        throw last instanceof IOException failed ? failed : new IOException(last);
    }

    private @Nullable SslContext encryption(URI uri) throws CollectorException {
        if (tls == null && uri.getScheme().equalsIgnoreCase("https")) {
            try {
                tls = SectionTls.connecting(config.tls());
            } catch (TlsFilesException e) {
                throw new CollectorException("metrics.otlp.tls.ca: " + e.getMessage(), e);
            }
        }
        return tls;
    }

    private FullHttpRequest request(byte[] body) {
        URI uri = config.url().uri();
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.POST, uri.getRawPath() + query, Unpooled.wrappedBuffer(body));
        request.headers()
                .set(HttpHeaderNames.HOST, uri.getRawAuthority())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.CONTENT_TYPE, "application/x-protobuf")
                .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        config.headers().forEach((name, value) -> request.headers().set(name, value.reveal()));
        return request;
    }

    private static int port(URI uri) {
        int standard = uri.getScheme().equalsIgnoreCase("https") ? 443 : 80;
        return uri.getPort() < 0 ? standard : uri.getPort();
    }

    /** Returns an IPv6 address without its brackets, which certificates do not have. */
    private static String bare(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Closes the connection, if there is one, without waiting. */
    @Override
    public void close() {
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** A push that failed; the message says why and what to do. */
    static final class CollectorException extends Exception {
        private static final long serialVersionUID = 1;

        CollectorException(String message) {
            super(message);
        }

        CollectorException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Returns why a push failed, and what to do, for the log. */
    private static String explain(Throwable failure) {
        Throwable cause =
                failure instanceof DecoderException && failure.getCause() != null ? failure.getCause() : failure;
        Throwable innermost = cause;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        if (cause instanceof UnknownHostException) {
            return "its host name is not known; check metrics.otlp.url";
        }
        if (cause instanceof NotSslRecordException) {
            return "it does not speak TLS; check whether metrics.otlp.url has to begin with http:";
        }
        if (cause instanceof SSLException) {
            return "TLS failed (" + innermost.getMessage()
                    + "); check metrics.otlp.tls.ca, and that the collector's certificate names this host";
        }
        if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
            return "no connection (" + cause.getMessage()
                    + "); see that the collector runs, and that metrics.otlp.url is right";
        }
        if (cause instanceof ProtocolException) {
            return "its response is not HTTP/1.1 (" + cause.getMessage()
                    + "); check that the port in metrics.otlp.url is one for OTLP over HTTP,"
                    + " and whether it needs https:";
        }
        return (cause.getMessage() == null ? cause : cause.getMessage())
                + "; check metrics.otlp.url and the collector's log";
    }

    private static String refusal(Response response, int bytes) {
        int status = response.status();
        String said = "status " + status + (response.text().isEmpty() ? "" : " (" + response.text() + ")");
        String remedy = switch (status) {
            case 401, 403 -> "check metrics.otlp.headers";
            case 404, 405 -> "check the path in metrics.otlp.url: it is /v1/metrics for an OpenTelemetry collector";
            case 413 -> "raise the collector's limit above " + bytes + " bytes";
            case 429, 502, 503, 504 -> "it is overloaded or restarts; see its log";
            default -> status / 100 == 3 ? "name the new address in metrics.otlp.url" : "see the collector's log";
        };
        return said + "; " + remedy;
    }

    /** Reads a response: its status and the first bytes of its body, whatever its length. */
    static final class ResponseStart extends SimpleChannelInboundHandler<HttpObject> {
        private static final int MOST = 512;
        private static final int MOST_INTERIM = 8;

        /** @param text what the body says, as one line; empty if it is compressed, which was not asked for */
        record Response(int status, String text) {}

        private final CompletableFuture<Response> response = new CompletableFuture<>();
        private final ByteArrayOutputStream start = new ByteArrayOutputStream();
        private int status;
        private boolean interim;
        private boolean encoded;
        private int interims;

        CompletableFuture<Response> response() {
            return response;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) throws ProtocolException {
            if (part.decoderResult().isFailure()) {
                throw new ProtocolException(
                        String.valueOf(part.decoderResult().cause().getMessage()));
            }
            if (part instanceof HttpResponse head) {
                begin(head);
            }
            if (!interim && part instanceof HttpContent content) {
                append(content.content());
                if (start.size() == MOST || content instanceof LastHttpContent) {
                    response.complete(new Response(status, encoded ? "" : text()));
                }
            }
        }

        private void begin(HttpResponse head) throws ProtocolException {
            status = head.status().code();
            interim = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
            encoded = head.headers().contains(HttpHeaderNames.CONTENT_ENCODING);
            if (interim && ++interims > MOST_INTERIM) {
                throw new ProtocolException("more than " + MOST_INTERIM + " interim responses");
            }
        }

        private void append(ByteBuf content) {
            byte[] bytes = new byte[Math.min(content.readableBytes(), MOST - start.size())];
            content.readBytes(bytes);
            start.writeBytes(bytes);
        }

        private String text() {
            // A message of protobuf has its texts between a few bytes of control characters.
            return start.toString(StandardCharsets.UTF_8)
                    .replaceAll("[\\p{Cntrl}\\uFFFD]+", " ")
                    .strip();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            response.completeExceptionally(new IOException("it closed the connection before the end of its response"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            response.completeExceptionally(cause);
        }
    }
}
