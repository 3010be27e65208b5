package io.understudy.replay;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.CommandCode;
import io.understudy.servers.Dialect;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Opens connections to the target, each with the statements that every session of a replay begins with. */
final class TargetLogin {
    private final ServerConnector connector;
    private final boolean readsOnly;
    private final List<byte[]> restored;
    private final Consumer<String> fatal;

    /**
     * @param restored SET statements with which each connection begins; refusals are ignored
     * @param fatal called with the reason when no connection can be had, from any thread
     */
    TargetLogin(ServerConnector connector, boolean readsOnly, List<byte[]> restored, Consumer<String> fatal) {
        this.connector = connector;
        this.readsOnly = readsOnly;
        this.restored = restored;
        this.fatal = fatal;
    }

    /** Opens a connection. {@code opened} receives it, or null if there is none, once and from any thread. */
    void open(Consumer<@Nullable ServerConnection> opened) {
        connector.connect().whenComplete((made, failure) -> {
            if (failure != null) {
                Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                fatal.accept(String.valueOf(cause.getMessage()));
                opened.accept(null);
            } else {
                start(Objects.requireNonNull(made), opened);
            }
        });
    }

    /** A fault, which the stage would swallow, would leave the statements waiting for ever. */
    private void start(ServerConnection made, Consumer<@Nullable ServerConnection> opened) {
        try {
            begin(made, opened);
        } catch (RuntimeException e) {
            fatal.accept("a fault of the replay: " + e);
        }
    }

    private void begin(ServerConnection made, Consumer<@Nullable ServerConnection> opened) {
        List<String> first = readsOnly ? Dialect.READ_ONLY_SESSION : List.of();
        AtomicInteger pending = new AtomicInteger(first.size() + 1);
        ServerResponse response = new ServerResponse() {
            @Override
            public void onResponse(ResponseView view, int preparedId) {
                int error = view.errorCode();
                if (error != 0) {
                    fatal.accept("the target refused a setting of the replay's sessions with error " + error);
                }
                ready();
            }

            @Override
            public void onFailure(String reason) {
                fatal.accept(reason);
                ready();
            }

            private void ready() {
                if (pending.decrementAndGet() == 0) {
                    opened.accept(made);
                }
            }
        };
        for (byte[] sql : restored) {
            made.execute(command(made, CommandCode.QUERY, sql), new Restoration());
        }
        // Logs do not have the client's character set; this is the one that servers log in.
        made.execute(query(made, "SET NAMES utf8mb4"), response);
        for (String sql : first) {
            made.execute(query(made, sql), response);
        }
    }

    static ByteBuf command(ServerConnection on, int code, byte[] body) {
        return Packets.command(on.alloc(), code, body);
    }

    static ByteBuf query(ServerConnection on, String sql) {
        return command(on, CommandCode.QUERY, sql.getBytes(StandardCharsets.UTF_8));
    }

    /** A setting that the target refuses was refused when it was logged, or is reported by what needs it. */
    private static final class Restoration implements ServerResponse {
        @Override
        public void onResponse(ResponseView view, int preparedId) {
            // As above.
        }

        @Override
        public void onFailure(String reason) {
            // The statement behind it says so.
        }
    }
}
