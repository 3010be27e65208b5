package io.understudy.replay.compare;

import io.netty.channel.EventLoopGroup;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.CommandCode;
import io.understudy.replay.CapturedSettings;
import io.understudy.replay.log.Execution;
import io.understudy.replay.log.LogEvent;
import io.understudy.servers.Dialect;
import io.understudy.wire.Packets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One of the two servers: a session that cannot write, and executes one statement at a time. Calls wait for the
 * response. Not thread-safe.
 */
final class ComparedServer implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    /** Added to the server's own time limit before the client gives up. */
    private static final long GRACE_SECONDS = 5;

    private static final double MICROS = 1e6;
    /** The client library's error number for parameters of an unsupported type. */
    private static final int UNKNOWN_TYPES = 2034;

    private static final int PREPARED = 1000;
    /** The interval at which a wait checks whether the comparison was stopped. */
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final NettyServerConnector connector;
    private final Duration timeout;
    private final String name;
    private @Nullable ServerConnection connection;
    private final BooleanSupplier stopped;
    private @Nullable String schema;
    private @Nullable String settings;
    /** The reason why the server does not accept the settings, or null. */
    private @Nullable String refusal;

    private final Map<PreparedText, Integer> prepared = new HashMap<>();
    private boolean acceptsClock;
    private boolean clockSet;
    private String version = "";

    /** A statement's text and the schema in which its names were resolved. */
    private record PreparedText(@Nullable String schema, ByteBuffer text) {}

    /** @param stopped whether the comparison is to end; a wait then ends within 100 ms */
    ComparedServer(
            NetworkTransport transport,
            EventLoopGroup loops,
            ComparedTarget target,
            Duration timeout,
            BooleanSupplier stopped) {
        this.timeout = timeout;
        this.stopped = stopped;
        this.name = target.address().toString();
        connector = new NettyServerConnector(
                transport, loops, target.address(), target.user(), target.password(), target.tls(), CONNECT, CONNECT);
    }

    /** Returns the server's address and version. */
    String name() {
        return version.isEmpty() ? name : name + " (" + version + ")";
    }

    /** Connects unless there is a connection. */
    ServerConnection open() throws IOException, InterruptedException {
        ServerConnection known = connection;
        if (known != null && known.isOpen()) {
            return known;
        }
        ServerConnection made = await(connector.connect().toCompletableFuture(), CONNECT.multipliedBy(2));
        connection = made;
        schema = null;
        forget();
        begin(made);
        acceptsClock = error(made, "SET SESSION timestamp = 1") == 0;
        set(made, "SET SESSION timestamp = DEFAULT");
        version = rows("SELECT VERSION()").get(1).get(0);
        return made;
    }

    /** Returns whether the account may give {@code NOW()} another time (MariaDB's {@code secure_timestamp}). */
    boolean acceptsClock() {
        return acceptsClock;
    }

    private void begin(ServerConnection made) throws IOException, InterruptedException {
        set(made, "SET NAMES utf8mb4");
        guard(made);
    }

    /** Behind the log's settings, so that none of them takes it away. */
    private void guard(ServerConnection made) throws IOException, InterruptedException {
        for (String sql : Dialect.READ_ONLY_SESSION) {
            set(made, sql);
        }
        set(made, "SET SESSION " + Dialect.of(made.flavor()).limit(timeout));
        if (made.flavor() == ServerFlavor.MARIADB) {
            // A cached result would say nothing about the plan.
            error(made, "SET SESSION query_cache_type = OFF");
        }
    }

    private void set(ServerConnection on, String sql) throws IOException, InterruptedException {
        TextRows response = new TextRows();
        on.execute(Packets.command(on.alloc(), CommandCode.QUERY, sql.getBytes(StandardCharsets.UTF_8)), response);
        try {
            await(response.done, CONNECT);
        } catch (IOException e) {
            throw new IOException(name + ": " + sql + ": " + e.getMessage(), e);
        }
    }

    /** Executes a statement that a server may refuse. Returns the error's number, or 0. */
    private int error(ServerConnection on, String sql) throws IOException, InterruptedException {
        ResultFold response = new ResultFold(false, false);
        return await(
                        response.send(
                                on,
                                Packets.command(on.alloc(), CommandCode.QUERY, sql.getBytes(StandardCharsets.UTF_8))),
                        CONNECT)
                .error();
    }

    /** Executes a statement that is not timed, with its rows. */
    List<List<String>> rows(String sql) throws IOException, InterruptedException {
        return rows(sql.getBytes(StandardCharsets.UTF_8), null);
    }

    /** Like {@link #rows(String)}, with a default schema. */
    List<List<String>> rows(byte[] sql, @Nullable String inSchema) throws IOException, InterruptedException {
        ServerConnection open = open();
        use(open, inSchema);
        TextRows response = new TextRows();
        open.execute(Packets.command(open.alloc(), CommandCode.QUERY, sql), response);
        return await(response.done, timeout.plusSeconds(GRACE_SECONDS));
    }

    private int use(ServerConnection open, @Nullable String wanted) throws IOException, InterruptedException {
        if (wanted == null || wanted.equals(schema)) {
            return 0;
        }
        ResultFold response = new ResultFold(false, false);
        int error = await(
                        response.send(
                                open,
                                Packets.command(
                                        open.alloc(), CommandCode.INIT_DB, wanted.getBytes(StandardCharsets.UTF_8))),
                        CONNECT)
                .error();
        schema = error == 0 ? wanted : null;
        return error;
    }

    /**
     * Gives the session the settings that the client had.
     *
     * @return null, or why the server does not accept them; the statement would then run under others
     */
    @Nullable
    String adopt(@Nullable String wanted) throws IOException, InterruptedException {
        ServerConnection open = open();
        if (Objects.equals(wanted, settings)) {
            return refusal;
        }
        if (settings != null) {
            reset(open);
        }
        if (wanted == null) {
            return null;
        }
        settings = wanted;
        refusal = null;
        if (!CapturedSettings.areOfTheSessionAlone(wanted)) {
            refusal = "unsafe";
            return refusal;
        }
        int error = error(open, "SET " + wanted);
        guard(open);
        refusal = error == 0 ? null : String.valueOf(error);
        return refusal;
    }

    /**
     * Executes a statement and reduces its result. The settings were adopted.
     *
     * @param atItsTime whether {@code NOW()} returns the event's time, if the log has it
     */
    ResultPrint run(LogEvent event, boolean atItsTime) throws IOException, InterruptedException {
        ServerConnection open = open();
        try {
            // A connection that was lost since has other settings.
            adopt(event.settings());
            return run(open, event, atItsTime ? event.startMicros() : LogEvent.UNKNOWN);
        } catch (ClientTimeout e) {
            close();
            return ResultPrint.ofError(0, true, timeout.toNanos());
        } catch (StoppedException e) {
            throw e;
        } catch (IOException e) {
            if (open.isOpen()) {
                throw e;
            }
            // A server that does not survive a statement is a finding.
            return error(ResultPrint.LOST);
        }
    }

    private ResultPrint run(ServerConnection open, LogEvent event, long start)
            throws IOException, InterruptedException {
        int error = use(open, event.schema());
        if (error != 0) {
            return error(error);
        }
        PreparedText key = new PreparedText(schema, ByteBuffer.wrap(event.text()));
        Execution execution = event.execution();
        if (execution != null && prepared.size() == PREPARED && !prepared.containsKey(key)) {
            reset(open);
            adopt(event.settings());
        }
        if (start != LogEvent.UNKNOWN || clockSet) {
            clockSet = start != LogEvent.UNKNOWN;
            set(
                    open,
                    clockSet
                            ? String.format(Locale.ROOT, "SET SESSION timestamp = %.6f", start / MICROS)
                            : "SET SESSION timestamp = DEFAULT");
        }
        if (execution == null) {
            return timed(open, CommandCode.QUERY, event.text(), event);
        }
        Integer id = prepared.get(key);
        if (id == null) {
            Preparation response = new Preparation();
            open.execute(Packets.command(open.alloc(), CommandCode.STMT_PREPARE, event.text()), response);
            id = await(response.done, timeout.plusSeconds(GRACE_SECONDS));
            if (id < 0) {
                return error(-id);
            }
            prepared.put(key, id);
        }
        byte[] payload = execution.payloadFor(id);
        return payload == null ? error(UNKNOWN_TYPES) : timed(open, CommandCode.STMT_EXECUTE, payload, event);
    }

    private ResultPrint timed(ServerConnection open, int code, byte[] payload, LogEvent event)
            throws IOException, InterruptedException {
        return await(
                new ResultFold(event.execution() != null, event.result() != null)
                        .send(open, Packets.command(open.alloc(), code, payload)),
                timeout.plusSeconds(GRACE_SECONDS));
    }

    private void reset(ServerConnection open) throws IOException, InterruptedException {
        ResultFold response = new ResultFold(false, false);
        await(response.send(open, Packets.command(open.alloc(), CommandCode.RESET_CONNECTION, new byte[0])), CONNECT);
        forget();
        begin(open);
    }

    private void forget() {
        settings = null;
        refusal = null;
        clockSet = false;
        prepared.clear();
    }

    /** Reports the statement's id, or the error's number below zero. */
    private static final class Preparation implements ServerResponse {
        final CompletableFuture<Integer> done = new CompletableFuture<>();

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            done.complete(response.ok() ? preparedId : -response.errorCode());
        }

        @Override
        public void onFailure(String reason) {
            done.completeExceptionally(new IOException(reason));
        }
    }

    private static ResultPrint error(int code) {
        return ResultPrint.ofError(code, false, 0);
    }

    private static final class ClientTimeout extends IOException {
        private static final long serialVersionUID = 1;

        ClientTimeout(String message) {
            super(message);
        }
    }

    /** The comparison was stopped while a response was awaited: what the server does says nothing any more. */
    static final class StoppedException extends IOException {
        private static final long serialVersionUID = 1;

        StoppedException(String name) {
            super(name + ": stopped");
        }
    }

    private <T> T await(Future<T> future, Duration limit) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            long rest = deadline - System.nanoTime();
            try {
                return future.get(Math.min(rest, STEP_NANOS), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                if (stopped.getAsBoolean()) {
                    throw new StoppedException(name);
                }
                if (rest <= STEP_NANOS) {
                    throw new ClientTimeout(name + ": no response within " + limit.toSeconds() + " s");
                }
            } catch (ExecutionException e) {
                Throwable cause =
                        e.getCause() instanceof CompletionException wrapped ? wrapped.getCause() : e.getCause();
                throw new IOException(cause == null ? name : cause.getMessage(), cause);
            }
        }
    }

    @Override
    public void close() {
        ServerConnection open = connection;
        connection = null;
        if (open != null) {
            open.close();
        }
    }
}
