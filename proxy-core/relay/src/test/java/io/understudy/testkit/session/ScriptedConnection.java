package io.understudy.testkit.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.understudy.command.response.ResponseGrammars;
import io.understudy.command.response.ResponseProgress;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.ServerStream;
import io.understudy.testkit.Bytes;
import io.understudy.wire.PacketSink;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;

/** A server connection whose server is the test: it records commands, and gets their responses one by one. */
public final class ScriptedConnection implements ServerConnection {
    private final long capabilities;
    private final Deque<Pending> due = new ArrayDeque<>();

    /** The commands, as code and text. */
    public final List<String> commands = new ArrayList<>();

    private record Pending(int code, ServerResponse response) {}

    private static final class Progress extends ResponseProgress {}

    /** @param capabilities agreed at the login */
    public ScriptedConnection(long capabilities) {
        this.capabilities = capabilities;
    }

    /** Answers the oldest command by packets with these payloads. */
    public void answer(byte[]... payloads) {
        Pending pending = due.remove();
        ResponseProgress progress = new Progress();
        progress.expect(Objects.requireNonNull(ResponseGrammars.to(pending.code)), capabilities, null);
        for (byte[] payload : payloads) {
            int wanted = progress.packet(payload.length, payload[0] & 0xFF);
            int shown = Math.min(wanted & PacketSink.MAX_SHOWN, payload.length);
            if (shown > 0) {
                progress.inspect(Unpooled.wrappedBuffer(payload), 0, shown);
            }
        }
        pending.response.onResponse(progress, progress.ok() ? progress.preparedId() : -1);
    }

    /** Ends the connection. */
    public void fail() {
        while (!due.isEmpty()) {
            due.remove().response.onFailure("broken");
        }
    }

    @Override
    public void execute(ByteBuf command, ServerResponse response) {
        byte[] bytes = Bytes.read(command);
        command.release();
        commands.add(bytes[4] + " " + new String(bytes, 5, bytes.length - 5, StandardCharsets.UTF_8));
        due.add(new Pending(bytes[4] & 0xFF, response));
    }

    @Override
    public ScheduledExecutorService loop() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ByteBufAllocator alloc() {
        return ByteBufAllocator.DEFAULT;
    }

    @Override
    public ServerFlavor flavor() {
        return ServerFlavor.MARIADB;
    }

    @Override
    public long threadId() {
        return 1;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void send(ByteBuf command) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void stream(ByteBuf command, ServerStream stream) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void answer(ByteBuf packet) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
