package io.understudy.plugins.mirror.playback;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.ServerStream;
import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.Fakes;
import io.understudy.testkit.ManualExecutor;
import io.understudy.testkit.Memory;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A standby that responds in the caller's thread, at once or on request. */
public final class FakeStandby implements Standby, ServerConnector {
    final List<String> received = new ArrayList<>();
    final List<Connection> connections = new ArrayList<>();
    /** The loop of all connections; runs tasks without a delay at once. */
    final ManualExecutor loop = ManualExecutor.direct();

    boolean refuse;
    /** Thrown by the next attempt to connect; not checked. */
    @Nullable
    Throwable connectFault;

    /** Thrown by the next command; not checked. */
    @Nullable
    Throwable commandFault;

    /** Thrown by the next close, which then closes nothing; not checked. */
    @Nullable
    Throwable closeFault;

    /** Of all connections. */
    final Memory memory = Memory.heap();

    boolean responding = true;
    int errorCode;
    String errorMessage = "";
    public boolean primary;
    ServerFlavor flavor = ServerFlavor.MARIADB;
    public StandbyState state = new StandbyState(true, true, 0.0, false, 1, null);

    @Override
    public String name() {
        return "standby-1";
    }

    int renewed;

    @Override
    public void renewConnections() {
        renewed++;
    }

    @Override
    public DataSource dataSource() {
        return Fakes.of(DataSource.class, (proxy, method, arguments) -> {
            throw new SQLException("a fake has no SQL");
        });
    }

    /** Thrown instead of a state. */
    @Nullable
    RuntimeException stateFault;

    @Override
    public StandbyState state() {
        if (stateFault != null) {
            throw stateFault;
        }
        return state;
    }

    @Override
    public boolean isPrimary() {
        return primary;
    }

    @Override
    public ServerConnector connector() {
        return this;
    }

    @Override
    public CompletableFuture<ServerConnection> connect() {
        Throwable fault = connectFault;
        connectFault = null;
        raise(fault);
        if (refuse) {
            return CompletableFuture.failedFuture(new IllegalStateException("refused"));
        }
        Connection connection = new Connection();
        connections.add(connection);
        return CompletableFuture.completedFuture(connection);
    }

    private static void raise(@Nullable Throwable fault) {
        if (fault instanceof Error error) {
            throw error;
        } else if (fault instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** Returns everything received but the connection's first settings. */
    List<String> statements() {
        return received.stream().filter(text -> !text.startsWith("SET SESSION")).toList();
    }

    final class Connection implements ServerConnection {
        final Queue<ServerResponse> pending = new ArrayDeque<>();
        final List<String> texts = new ArrayList<>();
        private final Queue<Integer> codes = new ArrayDeque<>();
        private boolean open = true;
        private int prepared;

        @Override
        public ScheduledExecutorService loop() {
            return loop;
        }

        @Override
        public ByteBufAllocator alloc() {
            return memory.alloc();
        }

        @Override
        public ServerFlavor flavor() {
            return flavor;
        }

        @Override
        public long threadId() {
            return 1L + connections.indexOf(this);
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void execute(ByteBuf command, ServerResponse response) {
            Throwable fault = commandFault;
            if (fault != null) {
                commandFault = null;
                command.release();
                raise(fault);
            }
            int code = command.getUnsignedByte(command.readerIndex() + 4);
            String text = code == CommandCode.QUERY
                    ? command.toString(command.readerIndex() + 5, command.readableBytes() - 5, StandardCharsets.UTF_8)
                    : "#" + code;
            received.add(text);
            texts.add(text);
            command.release();
            pending.add(response);
            codes.add(code);
            if (responding) {
                respondOne();
            }
        }

        void respondAll() {
            while (!pending.isEmpty()) {
                respondOne();
            }
        }

        /** Returns the SELECT statements received, in order. */
        List<String> selects() {
            return texts.stream().filter(text -> text.startsWith("SELECT")).toList();
        }

        void respondOne() {
            ServerResponse response = pending.remove();
            int code = codes.remove();
            response.onResponse(
                    FakeExchange.to("").error(errorCode, errorMessage).rows(1),
                    code == CommandCode.STMT_PREPARE ? ++prepared : -1);
        }

        @Override
        public void send(ByteBuf command) {
            received.add("#" + command.getUnsignedByte(command.readerIndex() + 4));
            command.release();
        }

        @Override
        public void answer(ByteBuf packet) {
            throw new AssertionError("nothing is streamed from a standby");
        }

        @Override
        public void stream(ByteBuf command, ServerStream stream) {
            command.release();
        }

        @Override
        public void close() {
            Throwable fault = closeFault;
            closeFault = null;
            raise(fault);
            open = false;
            ServerResponse response;
            while ((response = pending.poll()) != null) {
                response.onFailure("closed");
            }
        }
    }
}
