package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.understudy.command.response.ResponseGrammar;
import io.understudy.command.response.ResponseGrammars;
import io.understudy.config.Address;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.ServerStream;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.PacketScanner;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.HandshakeV10;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A logged-in server connection. Commands from other threads are executed on the event loop; packets written within one
 * run of its tasks leave with one flush.
 */
final class NettyServerConnection extends ChannelInboundHandlerAdapter implements ServerConnection {
    private static final ResponseGrammar STREAM = response(CommandCode.BINLOG_DUMP);
    private static final byte[] NOTHING = new byte[0];
    /** Maximum time for the last bytes to leave: a server that reads nothing cannot keep the connection open. */
    private static final int LINGER_MILLIS = 1000;
    /** A larger read is part of a large transfer, which a rest between reads would delay. */
    private static final int RESTFUL_BYTES = 64 * 1024;

    private final Channel channel;
    private final Address address;
    private final ServerFlavor flavor;
    private final long threadId;
    private final ResponseQueue responses;
    private final PacketScanner scanner;
    private final OutgoingPackets outgoing;

    private int bytesRead;
    private @Nullable String ended;
    private volatile boolean open = true;

    NettyServerConnection(Channel channel, Address address, HandshakeV10 handshakeV10, long capabilities) {
        this(
                channel,
                address,
                handshakeV10.isMariaDb() ? ServerFlavor.MARIADB : ServerFlavor.MYSQL,
                handshakeV10.threadId(),
                capabilities);
    }

    NettyServerConnection(Channel channel, Address address, ServerFlavor flavor, long threadId, long capabilities) {
        this.channel = channel;
        this.outgoing = new OutgoingPackets(channel);
        this.address = address;
        this.flavor = flavor;
        this.threadId = threadId;
        this.responses = new ResponseQueue(capabilities, this::sendEmpty);
        this.scanner = new PacketScanner(responses, channel.alloc());
    }

    private static ResponseGrammar response(int code) {
        ResponseGrammar grammar = ResponseGrammars.to(code);
        if (grammar == null || grammar == ResponseGrammars.UNKNOWN) {
            throw new IllegalArgumentException("command " + CommandCode.name(code) + " (" + code
                    + ") has no response whose end is known; use send for those without any");
        }
        return grammar;
    }

    @Override
    public ScheduledExecutorService loop() {
        return channel.eventLoop();
    }

    @Override
    public ByteBufAllocator alloc() {
        return channel.alloc();
    }

    @Override
    public ServerFlavor flavor() {
        return flavor;
    }

    @Override
    public long threadId() {
        return threadId;
    }

    @Override
    public boolean isOpen() {
        return open && channel.isActive();
    }

    @Override
    public void execute(ByteBuf command, ServerResponse response) {
        ResponseGrammar grammar = grammar(command, false);
        onLoop(
                () -> {
                    if (refused(command)) {
                        response.onFailure(reason());
                    } else {
                        responses.add(grammar, response, null);
                        write(command);
                    }
                },
                () -> {
                    command.release();
                    response.onFailure(this + ": its event loop has ended");
                });
    }

    @Override
    public void stream(ByteBuf command, ServerStream stream) {
        ResponseGrammar grammar = grammar(command, true);
        onLoop(
                () -> {
                    if (refused(command)) {
                        stream.onEnd(reason());
                    } else {
                        responses.add(grammar, null, stream);
                        write(command);
                    }
                },
                () -> {
                    command.release();
                    stream.onEnd(this + ": its event loop has ended");
                });
    }

    @Override
    public void send(ByteBuf command) {
        int code = code(command);
        if (ResponseGrammars.to(code) != null) {
            command.release();
            throw new IllegalArgumentException(
                    "command " + CommandCode.name(code) + " has a response; use execute or stream");
        }
        answer(command);
    }

    @Override
    public void answer(ByteBuf packet) {
        onLoop(
                () -> {
                    if (!refused(packet)) {
                        write(packet);
                    }
                },
                packet::release);
    }

    private static ResponseGrammar grammar(ByteBuf command, boolean streamed) {
        int code = code(command);
        try {
            ResponseGrammar grammar = response(code);
            if ((grammar == STREAM) != streamed) {
                throw new IllegalArgumentException("command " + CommandCode.name(code)
                        + (streamed
                                ? " has a response that ends; use execute"
                                : " has an endless response; use stream"));
            }
            return grammar;
        } catch (IllegalArgumentException e) {
            command.release();
            throw e;
        }
    }

    private static int code(ByteBuf command) {
        if (command.readableBytes() <= Packets.HEADER) {
            int bytes = command.readableBytes();
            command.release();
            throw new IllegalArgumentException(
                    "a command packet has a header and a code; this one has " + bytes + " bytes");
        }
        return command.getUnsignedByte(command.readerIndex() + Packets.HEADER);
    }

    private void onLoop(Runnable task, Runnable whenOver) {
        if (channel.eventLoop().inEventLoop()) {
            task.run();
            return;
        }
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            whenOver.run();
        }
    }

    private boolean refused(ByteBuf command) {
        if (ended == null && channel.isActive()) {
            return false;
        }
        command.release();
        return true;
    }

    /** Takes ownership. Without the packet each later response would be taken for that of another command. */
    private void write(ByteBuf packet) {
        try {
            outgoing.write(packet);
        } catch (RuntimeException | Error fault) {
            end("a packet could not be sent: " + fault.getMessage());
        }
    }

    private String reason() {
        return ended == null ? this + ": lost" : ended;
    }

    private void sendEmpty(int sequence) {
        write(Packets.of(alloc(), sequence, NOTHING));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        received((ByteBuf) msg);
    }

    /** Takes ownership of the buffer. */
    void received(ByteBuf bytes) {
        if (ended != null) {
            bytes.release();
            return;
        }
        bytesRead += bytes.readableBytes();
        responses.readAt(System.nanoTime());
        try {
            scanner.scan(bytes);
        } catch (RuntimeException e) {
            end("what the server sent could not be followed: " + e.getMessage());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        int read = bytesRead;
        bytesRead = 0;
        if (read == 0 || read > RESTFUL_BYTES || ended != null) {
            return;
        }
        long nanos = responses.restNanos();
        if (nanos > 0) {
            channel.config().setAutoRead(false);
            channel.eventLoop().schedule(() -> channel.config().setAutoRead(true), nanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ErrPacket lastError = responses.lastError();
        end(lastError == null ? "the server closed it" : "the server closed it: " + lastError.text());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end("it broke: " + cause.getMessage());
    }

    @Override
    public void close() {
        onLoop(
                () -> {
                    if (ended == null && channel.isActive()) {
                        quit();
                    }
                    end("closed by Understudy");
                },
                () -> {});
    }

    private void quit() {
        try {
            outgoing.writeGathered();
            channel.write(Packets.command(alloc(), CommandCode.QUIT, NOTHING), channel.voidPromise());
        } catch (RuntimeException | Error fault) {
            // As without direct memory: that the connection ends tells the server the same.
        }
    }

    /**
     * Leaves the channel, on which nothing is in flight, to another handler. Must be called on the event loop.
     *
     * @return null if the connection has ended
     */
    @Nullable
    Channel handOver(String name, ChannelHandler next) {
        if (ended != null || !channel.isActive()) {
            return null;
        }
        open = false;
        ended = this + ": handed over";
        channel.pipeline().replace(this, name, next);
        scannerClosed();
        return channel;
    }

    private void end(String why) {
        if (ended != null) {
            return;
        }
        open = false;
        ended = this + ": " + why;
        outgoing.writeGathered();
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        if (channel.isActive()) {
            channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        }
        responses.failAll(reason());
        scannerClosed();
    }

    /** Closes the scanner outside its own call, since that call may be what ends the connection. */
    private void scannerClosed() {
        if (channel.eventLoop().isShuttingDown()) {
            scanner.close();
        } else {
            channel.eventLoop().execute(scanner::close);
        }
    }

    /** Text for messages. */
    @Override
    public String toString() {
        return "connection " + threadId + " to " + address;
    }
}
