package io.understudy.replay;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.understudy.plugin.HashedResult;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultHash;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.CommandCode;
import io.understudy.replay.log.Execution;
import io.understudy.replay.log.LogEvent;
import io.understudy.sql.SqlAnalyzer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the target with the statements that wait for it. Statements go one by one, each when its time has
 * come and the one before it has been responded to. What a statement needs first (the connection, the session's
 * settings, its schema, its text prepared) is done as soon as it is next, ahead of its time. Results are read and
 * dropped. Confined to {@code loop}, which should be the connections' own.
 */
final class ReplayConnection {
    private final EventExecutor loop;
    private final TargetLogin login;
    private final Playing playing;
    private final Consumer<ReplayConnection> ended;
    private final TargetSession session;
    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final ArrayDeque<DueStatement> queue = new ArrayDeque<>();

    private @Nullable ServerConnection connection;
    private boolean connecting;
    private boolean busy;
    private boolean closing;
    private boolean aborted;
    private boolean over;
    private boolean timer;
    /** Monotonic time from which on the next statement could have been sent, had it been due. */
    private long freeNanos = System.nanoTime();

    /**
     * @param restored SET statements with which each connection begins; refusals are ignored
     * @param ended called once when this is closed, and no statement of it waits
     */
    ReplayConnection(
            EventExecutor loop,
            ServerConnector connector,
            List<byte[]> restored,
            Playing playing,
            Consumer<ReplayConnection> ended) {
        this.loop = loop;
        this.login = new TargetLogin(connector, playing.readsOnly(), restored, playing.fatal());
        this.playing = playing;
        this.ended = ended;
        this.session = new TargetSession(playing, this);
    }

    /** Called by any thread. */
    void add(DueStatement statement) {
        onLoop(() -> {
            if (aborted) {
                playing.completed().accept(statement.cost());
                return;
            }
            queue.add(statement);
            go();
        });
    }

    /** Closes the connection once the queue is empty. Called by any thread. */
    void end() {
        onLoop(() -> {
            closing = true;
            go();
        });
    }

    /** Drops what waits and closes. Called by any thread. */
    void abort() {
        onLoop(() -> {
            closing = true;
            drop();
            go();
        });
    }

    private void drop() {
        aborted = true;
        for (DueStatement dropped = queue.poll(); dropped != null; dropped = queue.poll()) {
            playing.completed().accept(dropped.cost());
        }
    }

    void onLoop(Runnable step) {
        loop.execute(() -> guarded(step));
    }

    /** A step that fails would leave its session's statements waiting for ever. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            playing.fatal().accept("a fault of the replay: " + e);
        }
    }

    private void go() {
        if (busy || connecting) {
            return;
        }
        if (playing.stopped().getAsBoolean()) {
            drop();
        }
        DueStatement next = queue.peek();
        ServerConnection open = connection;
        if (next == null) {
            if (closing) {
                close(open);
            }
            return;
        }
        if (open == null || !open.isOpen()) {
            connect();
            return;
        }
        busy = true;
        if (session.prepares(open, next)) {
            return;
        }
        busy = false;
        long wait = next.dueNanos() - System.nanoTime();
        if (wait > 0) {
            await(wait);
            return;
        }
        queue.remove();
        send(open, next);
    }

    private void close(@Nullable ServerConnection open) {
        connection = null;
        if (open != null) {
            open.close();
        }
        session.end();
        if (!over) {
            over = true;
            ended.accept(this);
        }
    }

    private void await(long nanos) {
        if (!timer) {
            timer = true;
            loop.schedule(
                    () -> guarded(() -> {
                        timer = false;
                        go();
                    }),
                    nanos,
                    TimeUnit.NANOSECONDS);
        }
    }

    private void connect() {
        connecting = true;
        login.open(made -> onLoop(() -> {
            connecting = false;
            if (made != null) {
                session.begin();
                connection = made;
                freeNanos = System.nanoTime();
                go();
            }
        }));
    }

    private void send(ServerConnection open, DueStatement statement) {
        busy = true;
        LogEvent event = statement.event();
        Execution execution = event.execution();
        if (execution == null) {
            session.executes(event.text());
            transmit(open, statement, CommandCode.QUERY, event.text());
            return;
        }
        byte[] payload = execution.payloadFor(session.preparedId(event));
        if (payload == null) {
            playing.figures().leftOut("types_unknown");
            playing.progress().passedOver(statement.session(), statement.position());
            over(statement);
        } else {
            transmit(open, statement, CommandCode.STMT_EXECUTE, payload);
        }
    }

    private void transmit(ServerConnection open, DueStatement statement, int code, byte[] payload) {
        playing.progress()
                .sends(
                        statement.session(),
                        statement.position(),
                        noted -> here(() -> {
                            if (noted && (aborted || playing.stopped().getAsBoolean())) {
                                playing.progress().unsent(statement.session(), statement.position());
                                over(statement);
                            } else if (noted) {
                                transmitNow(open, statement, code, payload);
                            } else {
                                over(statement);
                            }
                        }));
    }

    private void here(Runnable step) {
        if (loop.inEventLoop()) {
            step.run();
        } else {
            onLoop(step);
        }
    }

    private void transmitNow(ServerConnection open, DueStatement statement, int code, byte[] payload) {
        long now = System.nanoTime();
        playing.figures().sent(now - statement.dueNanos(), freeNanos - statement.dueNanos());
        open.execute(TargetLogin.command(open, code, payload), new PlayedResponse(statement));
    }

    /** The next step, or the statement, can follow. */
    void ready() {
        busy = false;
        freeNanos = System.nanoTime();
        go();
    }

    private void over(DueStatement statement) {
        playing.completed().accept(statement.cost());
        ready();
    }

    /** Gives up the statement at the head of the queue, unless it was dropped meanwhile. */
    @SuppressWarnings("ReferenceEquality") // one object a statement
    void givenUp(DueStatement statement) {
        if (queue.peek() == statement) {
            playing.progress().passedOver(statement.session(), statement.position());
            queue.remove();
            playing.completed().accept(statement.cost());
        }
        ready();
    }

    /** The connection has ended before the statement was sent. */
    void lostAhead(DueStatement statement) {
        lose(statement);
        givenUp(statement);
    }

    private void lose(DueStatement statement) {
        playing.figures().lost();
        playing.progress().lost(statement.session(), statement.position());
        connection = null;
    }

    /** The response to a statement: measured, compared with the captured one, and dropped. */
    private final class PlayedResponse implements ServerResponse {
        private final long sentNanos = System.nanoTime();
        private final DueStatement statement;
        /** Null if the log does not have the result's hash. */
        private final @Nullable ResultHash hash;

        PlayedResponse(DueStatement statement) {
            this.statement = statement;
            this.hash = statement.event().result() == null ? null : new ResultHash(ResultHash.CAPTURED_BYTES);
        }

        @Override
        public int rowBytes() {
            return hash == null ? 0 : hash.rowBytes();
        }

        @Override
        public void onRow(ByteBuf buf, int index, int shown, int length) {
            ResultHash running = hash;
            if (running != null) {
                running.onRow(buf, index, shown, length);
            }
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            boolean ok = response.ok();
            int error = response.errorCode();
            long rows = response.rows();
            long nanos = response.lastByteNanos() - sentNanos;
            playing.progress()
                    .answered(
                            statement.session(),
                            statement.position(),
                            !playing.readsOnly() && response.inTransaction());
            onLoop(() -> {
                if (ok) {
                    playing.figures().succeeded(nanos, rows);
                    compare(rows);
                } else {
                    playing.figures().failed(nanos, error);
                }
                over(statement);
            });
        }

        private void compare(long rows) {
            LogEvent event = statement.event();
            HashedResult captured = event.result();
            ResultHash running = hash;
            if (captured != null && running != null) {
                HashedResult.Relation relation = captured.to(running.result(rows));
                playing.figures().result(relation, relation == HashedResult.Relation.DIFFERENT ? digest(event) : "");
            }
        }

        private String digest(LogEvent event) {
            byte[] text = event.text();
            return String.format(
                    Locale.ROOT, "%016x", analyzer.digest(text, 0, text.length, new EventModes().of(event)));
        }

        @Override
        public void onFailure(String reason) {
            onLoop(() -> {
                lose(statement);
                over(statement);
            });
        }
    }

    /**
     * A statement that waits to be played.
     *
     * @param position in the log
     * @param dueNanos monotonic time at which to send it
     * @param cost its share of what may wait
     */
    record DueStatement(LogEvent event, long position, long dueNanos, int cost) {
        long session() {
            return event.threadId();
        }
    }
}
