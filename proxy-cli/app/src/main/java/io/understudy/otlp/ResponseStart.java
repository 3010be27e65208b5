package io.understudy.otlp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Reads a response: its status and the first bytes of its body, whatever its length. */
final class ResponseStart extends SimpleChannelInboundHandler<HttpObject> {
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
