package io.understudy.replay;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerResponse;
import io.understudy.wire.CommandCode;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the target with the statements that wait for it. Statements go one by one, each when its time has
 * come and the one before it has been responded to. Results are read and dropped. Confined to {@code loop}, which need
 * not be the connection's own.
 */
final class ReplayConnection {
    /** @param dueNanos monotonic time at which to send it */
    record Due(byte[] text, @Nullable String schema, long dueNanos) {}

    private final EventExecutor loop;
    private final ServerConnector connector;
    private final boolean readsOnly;
    private final ReplayFigures figures;
    private final Runnable completed;
    private final Consumer<String> fatal;
    private final ArrayDeque<Due> queue = new ArrayDeque<>();

    private @Nullable ServerConnection connection;
    private @Nullable String schema;
    private boolean connecting;
    private boolean busy;
    private boolean closing;
    private boolean timer;

    /**
     * @param completed run for each statement that is over, however it ended
     * @param fatal called with the reason when no connection can be had
     */
    ReplayConnection(
            EventExecutor loop,
            ServerConnector connector,
            boolean readsOnly,
            ReplayFigures figures,
            Runnable completed,
            Consumer<String> fatal) {
        this.loop = loop;
        this.connector = connector;
        this.readsOnly = readsOnly;
        this.figures = figures;
        this.completed = completed;
        this.fatal = fatal;
    }

    /** Called by any thread. */
    void add(Due statement) {
        loop.execute(() -> {
            queue.add(statement);
            go();
        });
    }

    /** Closes the connection once the queue is empty. Called by any thread. */
    void end() {
        loop.execute(() -> {
            closing = true;
            go();
        });
    }

    /** Drops what waits and closes. Called by any thread. */
    void abort() {
        loop.execute(() -> {
            closing = true;
            while (queue.poll() != null) {
                completed.run();
            }
            go();
        });
    }

    private void go() {
        if (busy || connecting) {
            return;
        }
        Due next = queue.peek();
        if (next == null) {
            ServerConnection open = connection;
            if (closing && open != null) {
                connection = null;
                open.close();
            }
            return;
        }
        long wait = next.dueNanos() - System.nanoTime();
        if (wait > 0) {
            if (!timer) {
                timer = true;
                loop.schedule(
                        () -> {
                            timer = false;
                            go();
                        },
                        wait,
                        TimeUnit.NANOSECONDS);
            }
            return;
        }
        ServerConnection open = connection;
        if (open == null || !open.isOpen()) {
            connect();
            return;
        }
        queue.remove();
        send(open, next);
    }

    private void connect() {
        connecting = true;
        connector
                .connect()
                .whenComplete((made, failure) -> loop.execute(() -> {
                    if (failure != null) {
                        connecting = false;
                        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                        fatal.accept(String.valueOf(cause.getMessage()));
                        return;
                    }
                    schema = null;
                    begin(Objects.requireNonNull(made));
                }));
    }

    private void begin(ServerConnection made) {
        List<String> first = readsOnly ? SessionStart.READ_ONLY : List.of();
        int[] pending = {first.size() + 1};
        ServerResponse response = new ServerResponse() {
            @Override
            public void onResponse(ResponseView view, int preparedId) {
                int error = view.errorCode();
                loop.execute(() -> {
                    if (error != 0) {
                        fatal.accept("the target refused a setting of the replay's sessions with error " + error);
                    }
                    ready();
                });
            }

            @Override
            public void onFailure(String reason) {
                loop.execute(() -> {
                    fatal.accept(reason);
                    ready();
                });
            }

            private void ready() {
                if (--pending[0] == 0) {
                    connecting = false;
                    connection = made;
                    go();
                }
            }
        };
        made.execute(command(made, CommandCode.QUERY, SessionStart.NAMES.getBytes(StandardCharsets.UTF_8)), response);
        for (String sql : first) {
            made.execute(command(made, CommandCode.QUERY, sql.getBytes(StandardCharsets.UTF_8)), response);
        }
    }

    private static ByteBuf command(ServerConnection on, int code, byte[] body) {
        return Packets.command(on.alloc(), code, body);
    }

    private void send(ServerConnection open, Due statement) {
        busy = true;
        String wanted = statement.schema();
        if (wanted != null && !wanted.equals(schema)) {
            open.execute(
                    command(open, CommandCode.INIT_DB, wanted.getBytes(StandardCharsets.UTF_8)),
                    new Response(statement, true));
        }
        long now = System.nanoTime();
        figures.sent(now - statement.dueNanos());
        open.execute(command(open, CommandCode.QUERY, statement.text()), new Response(statement, false));
    }

    private final class Response implements ServerResponse {
        private final Due statement;
        private final boolean schemaChange;
        private final long sentNanos = System.nanoTime();

        Response(Due statement, boolean schemaChange) {
            this.statement = statement;
            this.schemaChange = schemaChange;
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            boolean ok = response.ok();
            int error = response.errorCode();
            long rows = response.rows();
            long nanos = response.lastByteNanos() - sentNanos;
            loop.execute(() -> {
                if (schemaChange) {
                    schema = ok ? statement.schema() : null;
                    return;
                }
                if (ok) {
                    figures.succeeded(nanos, rows);
                } else {
                    figures.failed(nanos, error);
                }
                over();
            });
        }

        @Override
        public void onFailure(String reason) {
            loop.execute(() -> {
                if (!schemaChange) {
                    figures.lost();
                    connection = null;
                    over();
                }
            });
        }

        private void over() {
            busy = false;
            completed.run();
            go();
        }
    }
}
