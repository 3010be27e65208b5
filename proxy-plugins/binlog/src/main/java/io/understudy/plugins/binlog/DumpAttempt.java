package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to read the binary log: queries the primary, connects, executes the statements before the dump command,
 * and requests the stream. It ends with the stream, at the first error, or when {@link BinlogDump} replaces it; what it
 * reports afterwards is ignored.
 *
 * <p>{@link #run} is called on the plugin's executor, the rest runs on the connection's event loop. The fields are
 * guarded by the lock of the {@link BinlogDump}.
 */
final class DumpAttempt implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(DumpAttempt.class);

    private final BinlogDump dump;
    private final DumpSettings settings;
    /** The connection from when it is open; and the stream from when that is requested. Null again at the end. */
    private @Nullable ServerConnection connection;

    private @Nullable BinlogStream stream;

    DumpAttempt(BinlogDump dump, DumpSettings settings) {
        this.dump = dump;
        this.settings = settings;
    }

    /** Returns the stream while it is read. */
    @Nullable
    BinlogStream stream() {
        return stream;
    }

    /** Called when the connection is open, and when the stream is requested. */
    void became(ServerConnection open, @Nullable BinlogStream requested) {
        connection = open;
        stream = requested;
    }

    /** Runs a task on the event loop of the stream. Returns false if there is none. */
    boolean between(Runnable task) {
        ServerConnection on = connection;
        BinlogStream streaming = stream;
        if (on == null || streaming == null) {
            return false;
        }
        on.loop().execute(() -> streaming.between(task));
        return true;
    }

    /** Ends the stream, and closes the connection if it is open. */
    void close() {
        if (stream != null) {
            stream.close();
        }
        if (connection != null) {
            connection.close();
        }
        stream = null;
        connection = null;
    }

    @Override
    public void run() {
        if (!dump.begins(this)) {
            return;
        }
        PrimaryFacts facts;
        try {
            facts = settings.queries().facts();
            if (facts.logBin() && facts.gtids()) {
                facts = dump.from(facts);
            }
        } catch (Exception e) {
            trouble(BinlogTrouble.Reason.CONNECTION, "the primary cannot be queried: " + BinlogErrors.message(e));
            return;
        }
        if (!facts.logBin()) {
            trouble(BinlogTrouble.Reason.BINLOG_OFF, "the primary writes no binary log");
        } else if (!facts.gtids()) {
            trouble(BinlogTrouble.Reason.GTID_OFF, "the primary's transactions have no GTIDs");
        } else {
            connect(facts);
        }
    }

    private void connect(PrimaryFacts facts) {
        CompletionStage<ServerConnection> connecting;
        try {
            connecting = settings.connector().connect();
        } catch (RuntimeException e) {
            connecting = CompletableFuture.failedFuture(e);
        }
        connecting.whenComplete((opened, failure) -> {
            if (failure != null) {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                trouble(BinlogTrouble.Reason.CONNECTION, String.valueOf(cause.getMessage()));
            } else if (dump.keeps(this, opened)) {
                prepare(facts, opened);
            }
        });
    }

    private void prepare(PrimaryFacts facts, ServerConnection opened) {
        List<Step> steps = new ArrayList<>();
        DumpCommands.preparation(facts.flavor(), settings.heartbeat(), exact() ? facts.position() : null)
                .forEach(sql -> steps.add(Step.of(sql)));
        SemiSyncReplica replica = settings.replica();
        if (replica != null && replica.registers()) {
            steps.add(Step.of(DumpCommands.SEMI_SYNC));
            steps.add(new Step(
                    "the registration as a replica",
                    alloc -> DumpCommands.register(alloc, settings.serverIds().current())));
        }
        execute(opened, steps.iterator(), () -> request(facts, opened));
    }

    /**
     * A command that precedes the dump command.
     *
     * @param name for messages
     */
    private record Step(String name, Function<ByteBufAllocator, ByteBuf> command) {
        static Step of(String sql) {
            return new Step(sql, alloc -> DumpCommands.query(alloc, sql));
        }
    }

    /** Executes all of them, one after another, then {@code done}; stops at the first error. */
    private void execute(ServerConnection on, Iterator<Step> steps, Runnable done) {
        if (!steps.hasNext()) {
            done.run();
            return;
        }
        Step step = steps.next();
        on.execute(step.command().apply(on.alloc()), new ServerResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                if (response.ok()) {
                    execute(on, steps, done);
                    return;
                }
                String message = "error " + response.errorCode() + " to: " + step.name();
                trouble(BinlogErrors.reason(message), message);
            }

            @Override
            public void onFailure(String reason) {
                trouble(BinlogTrouble.Reason.CONNECTION, reason);
            }
        });
    }

    /** Returns whether a subscriber needs the events' bytes, and the stream therefore an exact position. */
    private boolean exact() {
        return settings.bytes().wanted().getAsBoolean();
    }

    private void request(PrimaryFacts facts, ServerConnection on) {
        ByteBuf command;
        StreamPosition position;
        try {
            position = exact() ? StreamPosition.parse(facts.flavor(), facts.position()) : StreamPosition.UNKNOWN;
            command = DumpCommands.dump(
                    on.alloc(), facts.flavor(), settings.serverIds().current(), facts.position(), exact());
        } catch (IllegalArgumentException e) {
            trouble(BinlogTrouble.Reason.MALFORMED, "the GTIDs " + facts.position() + " cannot be read");
            return;
        }
        BinlogStream begun = stream(facts, position, on);
        if (!dump.streams(this, on, begun, facts, position)) {
            command.release();
            return;
        }
        dump.began(position(facts));
        if (facts.format().equalsIgnoreCase("STATEMENT")) {
            log.warn("the primary logs statements (binlog_format=STATEMENT): commits are still attributed, but which"
                    + " tables they write is not known; set binlog_format=ROW for that");
        }
        settings.listener().onStart(facts);
        on.stream(command, begun);
    }

    private BinlogStream stream(PrimaryFacts facts, StreamPosition position, ServerConnection on) {
        BinlogParser parser = new BinlogParser(facts.flavor(), settings.wantTables(), transaction -> {
            position.passed(transaction);
            settings.listener().onTransaction(transaction);
        });
        return new BinlogStream(
                parser,
                settings.nanoClock().getAsLong(),
                settings.rest(),
                settings.bytes().now(),
                settings.bytes().to(),
                settings.replica(),
                upTo -> on.answer(DumpCommands.acknowledgement(on.alloc(), upTo)),
                this::trouble);
    }

    /** Describes the start position for the log. */
    static String position(PrimaryFacts facts) {
        if (facts.flavor() == ServerFlavor.MYSQL) {
            return "its executed GTIDs";
        }
        return facts.position().isEmpty() ? "its beginning, as it has no transactions yet," : facts.position();
    }

    private void trouble(BinlogTrouble.Reason reason, String message) {
        dump.ended(this, reason, message);
    }
}
