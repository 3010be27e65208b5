package io.understudy.replay;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugins.capture.CapturedResult;
import io.understudy.plugins.capture.ResultHash;
import io.understudy.replay.log.Execution;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.WriteSettings;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.wire.CommandCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the target with the statements that wait for it. Statements go one by one, each when its time has
 * come and the one before it has been responded to. What a statement needs first (the connection, the session's
 * settings, its text prepared) is done as soon as it is next, ahead of its time. Results are read and dropped. Confined
 * to {@code loop}, which should be the connections' own.
 */
final class ReplayConnection {
    /**
     * A statement that waits.
     *
     * @param position in the log
     * @param dueNanos monotonic time at which to send it
     * @param cost its share of what may wait
     */
    record Due(LogEvent event, long position, long dueNanos, int cost) {
        long session() {
            return event.threadId();
        }
    }

    private final EventExecutor loop;
    private final TargetLogin login;
    private final boolean readsOnly;
    private final ReplayFigures figures;
    private final ReplayProgress progress;
    private final IntConsumer completed;
    private final Consumer<String> fatal;
    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final ArrayDeque<Due> queue = new ArrayDeque<>();
    private final PreparedIds prepared = new PreparedIds();

    private @Nullable ServerConnection connection;
    private @Nullable String schema;
    private @Nullable String settings;
    /** The resets of the session that the settings have taken account of. */
    private int resets;

    private boolean connecting;
    private boolean busy;
    private boolean closing;
    private boolean aborted;
    private boolean timer;
    /** Monotonic time from which on the next statement could have been sent, had it been due. */
    private long freeNanos = System.nanoTime();

    /**
     * @param restored SET statements with which each connection begins; refusals are ignored
     * @param completed called with the cost of each statement that is over, however it ended
     * @param fatal called with the reason when no connection can be had
     */
    ReplayConnection(
            EventExecutor loop,
            ServerConnector connector,
            boolean readsOnly,
            List<byte[]> restored,
            ReplayFigures figures,
            ReplayProgress progress,
            IntConsumer completed,
            Consumer<String> fatal) {
        this.loop = loop;
        this.login = new TargetLogin(connector, readsOnly, restored, fatal);
        this.readsOnly = readsOnly;
        this.figures = figures;
        this.progress = progress;
        this.completed = completed;
        this.fatal = fatal;
    }

    /** Called by any thread. */
    void add(Due statement) {
        onLoop(() -> {
            if (aborted) {
                completed.accept(statement.cost());
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
            aborted = true;
            for (Due dropped = queue.poll(); dropped != null; dropped = queue.poll()) {
                completed.accept(dropped.cost());
            }
            go();
        });
    }

    private void onLoop(Runnable step) {
        loop.execute(() -> guarded(step));
    }

    /** A step that fails would leave its session's statements waiting for ever. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            fatal.accept("a fault of the replay: " + e);
        }
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
        ServerConnection open = connection;
        if (open == null || !open.isOpen()) {
            connect();
            return;
        }
        if (prepares(open, next)) {
            return;
        }
        long wait = next.dueNanos() - System.nanoTime();
        if (wait > 0) {
            if (!timer) {
                timer = true;
                loop.schedule(
                        () -> guarded(() -> {
                            timer = false;
                            go();
                        }),
                        wait,
                        TimeUnit.NANOSECONDS);
            }
            return;
        }
        queue.remove();
        send(open, next);
    }

    /** Begins what the statement needs first, or returns false if it can be sent. */
    private boolean prepares(ServerConnection open, Due next) {
        LogEvent event = next.event();
        String assignments = event.settings();
        if (assignments != null && (!assignments.equals(settings) || wasReset(event))) {
            busy = true;
            adopt(open, next, assignments);
            return true;
        }
        if (event.execution() != null && !prepared.has(event.text())) {
            busy = true;
            use(open, event);
            open.execute(
                    TargetLogin.command(open, CommandCode.STMT_PREPARE, event.text()), new Preparation(open, next));
            return true;
        }
        return false;
    }

    /** Returns whether the client has reset its session since this connection took over its settings. */
    private boolean wasReset(LogEvent event) {
        WriteSettings writing = event.writing();
        return !readsOnly && writing != null && writing.resets() != resets;
    }

    private void connect() {
        connecting = true;
        login.open(made -> onLoop(() -> {
            connecting = false;
            if (made != null) {
                schema = null;
                settings = null;
                prepared.clear();
                connection = made;
                freeNanos = System.nanoTime();
                go();
            }
        }));
    }

    private void send(ServerConnection open, Due statement) {
        busy = true;
        LogEvent event = statement.event();
        use(open, event);
        Execution execution = event.execution();
        if (execution == null) {
            transmit(open, statement, CommandCode.QUERY, event.text());
            return;
        }
        byte[] payload = execution.payloadFor(Objects.requireNonNull(prepared.of(event.text())));
        if (payload == null) {
            figures.leftOut("types_unknown");
            progress.passedOver(statement.session(), statement.position());
            over(statement);
        } else {
            transmit(open, statement, CommandCode.STMT_EXECUTE, payload);
        }
    }

    /** Selects the statement's schema. The command that follows need not wait for the response. */
    private void use(ServerConnection open, LogEvent event) {
        String wanted = event.schema();
        if (wanted != null && !wanted.equals(schema)) {
            open.execute(
                    TargetLogin.command(open, CommandCode.INIT_DB, wanted.getBytes(StandardCharsets.UTF_8)),
                    new SchemaResponse(wanted));
            schema = wanted;
        }
    }

    /**
     * Gives the connection the session's settings. One that only reads is reset before. Where everything is played, the
     * session's own SET statements have been played, and a reset would roll its transaction back and drop its temporary
     * tables: it gets one only where the client reset its session.
     */
    private void adopt(ServerConnection open, Due statement, String assignments) {
        List<ByteBuf> commands = new ArrayList<>();
        boolean begins = settings == null;
        if (!begins && (readsOnly || wasReset(statement.event()))) {
            begins = true;
            commands.add(TargetLogin.command(open, CommandCode.RESET_CONNECTION, new byte[0]));
            if (readsOnly) {
                SessionStart.READ_ONLY.forEach(sql -> commands.add(TargetLogin.query(open, sql)));
            }
            prepared.clear();
        }
        commands.add(TargetLogin.query(open, "SET " + assignments));
        WriteSettings writing = statement.event().writing();
        if (writing != null && begins && !readsOnly) {
            if (writing.transaction() != null) {
                commands.add(TargetLogin.query(open, "SET SESSION TRANSACTION " + writing.transaction()));
            }
            if (writing.assignments() != null) {
                commands.add(TargetLogin.query(open, "SET " + writing.assignments()));
            }
        }
        resets = writing == null ? 0 : writing.resets();
        Adoption response = new Adoption(statement, assignments, commands.size());
        commands.forEach(command -> open.execute(command, response));
    }

    private void transmit(ServerConnection open, Due statement, int code, byte[] payload) {
        long now = System.nanoTime();
        figures.sent(now - statement.dueNanos(), freeNanos - statement.dueNanos());
        progress.sent(statement.session(), statement.position());
        open.execute(TargetLogin.command(open, code, payload), new Response(statement));
    }

    private String digest(byte[] text) {
        return String.format(Locale.ROOT, "%016x", analyzer.digest(text, 0, text.length, SqlModes.NONE));
    }

    private void over(Due statement) {
        completed.accept(statement.cost());
        free();
    }

    private void free() {
        busy = false;
        freeNanos = System.nanoTime();
        go();
    }

    /** Gives up the statement at the head of the queue, unless it was dropped meanwhile. */
    @SuppressWarnings("ReferenceEquality") // one object a statement
    private void giveUp(Due statement) {
        if (queue.peek() == statement) {
            progress.passedOver(statement.session(), statement.position());
            queue.remove();
            completed.accept(statement.cost());
        }
        free();
    }

    private void lost(Due statement) {
        figures.lost();
        progress.lost(statement.session(), statement.position());
        connection = null;
        over(statement);
    }

    private void lostAheadOf(Due statement) {
        figures.lost();
        progress.lost(statement.session(), statement.position());
        connection = null;
        giveUp(statement);
    }

    /** Passes the outcome to this connection's loop. */
    private abstract class Step implements ServerResponse {
        @Override
        public void onResponse(ResponseView response, int preparedId) {
            int error = response.errorCode();
            onLoop(() -> done(error, preparedId));
        }

        abstract void done(int error, int preparedId);
    }

    private final class SchemaResponse extends Step {
        private final String wanted;

        SchemaResponse(String wanted) {
            this.wanted = wanted;
        }

        @Override
        void done(int error, int preparedId) {
            if (error != 0 && wanted.equals(schema)) {
                schema = null;
            }
        }

        @Override
        public void onFailure(String reason) {
            // The statement behind it says so.
        }
    }

    private final class Adoption extends Step {
        private final Due statement;
        private final String assignments;
        private int pending;
        private int refused;
        private boolean failed;

        Adoption(Due statement, String assignments, int pending) {
            this.statement = statement;
            this.assignments = assignments;
            this.pending = pending;
        }

        @Override
        void done(int error, int preparedId) {
            refused = refused == 0 ? error : refused;
            if (--pending > 0 || failed) {
                return;
            }
            if (refused != 0) {
                settings = "";
                figures.settingsRefused(refused);
                giveUp(statement);
            } else {
                settings = assignments;
                free();
            }
        }

        @Override
        public void onFailure(String reason) {
            onLoop(() -> {
                if (!failed) {
                    failed = true;
                    lostAheadOf(statement);
                }
            });
        }
    }

    private final class Preparation extends Step {
        private final ServerConnection open;
        private final Due statement;

        Preparation(ServerConnection open, Due statement) {
            this.open = open;
            this.statement = statement;
        }

        @Override
        void done(int error, int preparedId) {
            if (error != 0) {
                figures.sent(System.nanoTime() - statement.dueNanos(), 0);
                figures.failed(0, error);
                giveUp(statement);
                return;
            }
            Integer evicted = prepared.add(statement.event().text(), preparedId);
            if (evicted != null) {
                open.send(TargetLogin.command(open, CommandCode.STMT_CLOSE, new byte[] {
                    evicted.byteValue(), (byte) (evicted >>> 8), (byte) (evicted >>> 16), (byte) (evicted >>> 24)
                }));
            }
            free();
        }

        @Override
        public void onFailure(String reason) {
            onLoop(() -> lostAheadOf(statement));
        }
    }

    private final class Response implements ServerResponse {
        private final long sentNanos = System.nanoTime();
        private final Due statement;
        /** Null if the log does not have the result's hash. */
        private final @Nullable ResultHash hash;

        Response(Due statement) {
            this.statement = statement;
            this.hash = statement.event().result() == null ? null : new ResultHash();
        }

        @Override
        public int rowBytes() {
            return hash == null ? 0 : ResultHash.ROW_BYTES;
        }

        @Override
        public void onRow(ByteBuf buf, int index, int shown, int length) {
            ResultHash running = hash;
            if (running != null) {
                running.onRow(buf, index, shown, length);
            }
        }

        private void compare(long rows) {
            LogEvent event = statement.event();
            CapturedResult captured = event.result();
            ResultHash running = hash;
            if (captured != null && running != null) {
                CapturedResult.Relation relation = captured.to(running.result(rows));
                figures.result(relation, relation == CapturedResult.Relation.DIFFERENT ? digest(event.text()) : "");
            }
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            boolean ok = response.ok();
            int error = response.errorCode();
            long rows = response.rows();
            long nanos = response.lastByteNanos() - sentNanos;
            progress.answered(statement.session(), statement.position(), !readsOnly && response.inTransaction());
            onLoop(() -> {
                if (ok) {
                    figures.succeeded(nanos, rows);
                    compare(rows);
                } else {
                    figures.failed(nanos, error);
                }
                over(statement);
            });
        }

        @Override
        public void onFailure(String reason) {
            onLoop(() -> lost(statement));
        }
    }
}
