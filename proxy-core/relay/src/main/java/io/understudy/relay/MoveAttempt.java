package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.understudy.base.NoTask;
import io.understudy.command.SessionModel;
import io.understudy.config.Address;
import io.understudy.connection.ChannelHandover;
import io.understudy.connection.ServerLogin;
import io.understudy.connection.auth.AuthException;
import io.understudy.connection.auth.LoginSecret;
import io.understudy.move.CarriedState;
import io.understudy.move.NotMoved;
import io.understudy.move.ReadAgain;
import io.understudy.move.StateReader;
import io.understudy.move.StateRestorer;
import io.understudy.plugin.ServerConnection;
import io.understudy.protocol.Capabilities;
import io.understudy.server.PrimaryAddress;
import io.understudy.session.SessionMover;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One move of a session.
 *
 * <pre>
 *   old channel ──lent──▶ asked for the state ──▶ COM_QUIT
 *   new channel ──▶ login as the same user ──▶ state restored ──▶ statements prepared ──▶ read-only ──given──▶ the leg
 * </pre>
 *
 * <p>The leg stays what trackers and scanners write to; its channel is another one afterwards. On the session's event
 * loop.
 */
final class MoveAttempt {
    private static final Logger log = LoggerFactory.getLogger(MoveAttempt.class);
    /**
     * A server that has answered no session for so long is asked no longer. One that is slow, also because many
     * sessions ask, has state that their texts do not tell.
     */
    private static final int ANSWER_MILLIS = 2_000;
    /** The longest that a client waits, from the beginning, the wait for other sessions' moves included. */
    private static final int MOST_MILLIS = 30_000;

    private final ServerChange change;
    private final EventLoop loop;
    private final SessionModel model;
    private final Set<String> ownVariables;
    private final List<TableName> readAgain;
    private final boolean serverGone;
    private final SessionMover.Result result;
    private @Nullable ServerConnection old;
    private @Nullable ServerConnection fresh;
    private Address to;
    private Future<?> deadline = NoTask.NONE;
    private Future<?> answerDeadline = NoTask.NONE;
    /** Counts among those that move at once. */
    private boolean counted;

    private boolean over;

    MoveAttempt(
            ServerChange change,
            SessionModel model,
            Set<String> ownVariables,
            List<TableName> readAgain,
            boolean serverGone,
            SessionMover.Result result) {
        this.change = change;
        this.loop = change.loop;
        this.model = model;
        this.ownVariables = ownVariables;
        this.readAgain = readAgain;
        this.serverGone = serverGone;
        this.result = result;
        this.to = change.address();
    }

    void begin() {
        deadline = loop.schedule(
                () -> finish(new NotMoved("timeout", "not there within " + MOST_MILLIS / 1000 + " s")),
                MOST_MILLIS,
                TimeUnit.MILLISECONDS);
        // Behind the caller, which may be processing the last response of the old server.
        change.context.move().atOnce().begin(() -> loop.execute(this::run));
    }

    private void run() {
        counted = true;
        if (over) {
            release();
            return;
        }
        try {
            state().thenCompose(this::goneOn).whenComplete((done, fault) -> finish(fault));
        } catch (RuntimeException e) {
            finish(e);
        }
    }

    private CompletableFuture<CarriedState> state() {
        ensureMovable();
        Channel channel = change.server.channel();
        change.server.awaitAtLeast(1); // of an answer's end, which may come alone
        if (!channel.isActive() || channel.pipeline().get(ClientHandler.NAME) == null) {
            return CompletableFuture.completedFuture(StateReader.followed(model));
        }
        ServerConnection asked = ChannelHandover.take(
                channel,
                ClientHandler.NAME,
                change.address(),
                model.flavor(),
                model.serverThreadId(),
                model.capabilities());
        old = asked;
        if (serverGone) {
            asked.close(); // it may wake up, and what it sends then is no response of the next server
            return CompletableFuture.completedFuture(StateReader.followed(model));
        }
        Map<Address, Long> answers = change.context.move().answers();
        Address from = change.address();
        awaitAnswer(asked, () -> answers.get(from), System.nanoTime());
        return StateReader.read(asked, model, ownVariables, () -> answers.put(from, System.nanoTime()))
                .exceptionallyCompose(fault -> asked.isOpen()
                        ? CompletableFuture.failedFuture(fault)
                        : CompletableFuture.completedFuture(StateReader.followed(model)));
    }

    /** @param last the monotonic time of the server's last answer to any session; null if there was none */
    private void awaitAnswer(ServerConnection asked, Supplier<@Nullable Long> last, long sinceNanos) {
        long untilNanos = sinceNanos + TimeUnit.MILLISECONDS.toNanos(ANSWER_MILLIS);
        answerDeadline = loop.schedule(
                () -> {
                    Long answered = last.get();
                    if (answered != null && answered - sinceNanos > 0) {
                        awaitAnswer(asked, last, answered);
                    } else {
                        log.atInfo()
                                .addKeyValue("user", model.user())
                                .log("a session moves with what its texts have set: its server has been silent");
                        asked.close();
                    }
                },
                untilNanos - System.nanoTime(),
                TimeUnit.NANOSECONDS);
    }

    private void ensureMovable() {
        if (change.server.isCompressed()) {
            throw new NotMoved("compression", "its connection to the server is compressed");
        }
        if (!model.movable()) {
            throw new NotMoved("no_credential", "it had logged in before failover.sessions was move");
        }
        String prepared = model.prepared().whyNotMoved();
        if (prepared != null) {
            throw new NotMoved("prepared_statement", prepared);
        }
    }

    /** Makes the session at the present primary; anew, if another one has taken its place meanwhile. */
    private CompletableFuture<@Nullable Void> goneOn(CarriedState state) {
        answerDeadline.cancel(false);
        ensureGoesOn();
        PrimaryAddress.Present present = change.context.connector().present();
        String refused = change.context.connector().refused();
        if (refused != null) {
            throw new NotMoved("refused", refused);
        }
        to = present.address();
        return change.context
                .move()
                .secrets()
                .find(model.user(), change.proof(model.user()))
                .whenCompleteAsync((found, fault) -> {}, loop) // a failure, too, goes on from here on the loop
                .thenCompose(this::connect)
                .thenCompose(connection -> {
                    fresh = connection;
                    return readsNoView();
                })
                .thenCompose(done -> restored(state.ahead()))
                .thenCompose(done -> prepared())
                .thenCompose(done -> restored(state.behind()))
                .handle((done, fault) -> {
                    if (!over && !present.equals(change.context.connector().present())) {
                        close(fresh);
                        return goneOn(state);
                    }
                    return fault == null ? done() : CompletableFuture.<@Nullable Void>failedFuture(fault);
                })
                .thenCompose(next -> next)
                .toCompletableFuture();
    }

    private static CompletableFuture<@Nullable Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    private void ensureGoesOn() {
        if (over) {
            throw new NotMoved("left", "its client has left");
        }
    }

    private CompletableFuture<ServerConnection> connect(LoginSecret secret) {
        if (over) {
            secret.wipe();
        }
        ensureGoesOn();
        long several = model.multiStatements() ? Capabilities.MULTI_STATEMENTS : 0; // COM_SET_OPTION changes it
        ServerLogin login = new ServerLogin(
                model.user(),
                secret,
                model.schema(),
                model.capabilities() & ~Capabilities.MULTI_STATEMENTS | several,
                model.settings().loginCollation(),
                change.maxPacket(),
                model.attributes(),
                change.client.isEncrypted());
        ByteBuf header = change.context
                .connector()
                .proxyHeader(change.client.alloc(), change.client.remoteAddress(), change.client.localAddress());
        return change.context
                .move()
                .connector()
                .connect(loop, to, login, header)
                .whenComplete((connection, fault) -> secret.wipe())
                .exceptionally(fault -> {
                    Throwable why = cause(fault);
                    throw new NotMoved(
                            why.getCause() instanceof AuthException ? "refused" : NotMoved.UNREACHABLE,
                            String.valueOf(why.getMessage()));
                })
                .toCompletableFuture();
    }

    private CompletableFuture<@Nullable Void> restored(CarriedState state) {
        return state.statements().isEmpty()
                ? done()
                : step("state_refused", () -> StateRestorer.restore(fresh(), state));
    }

    private CompletableFuture<@Nullable Void> readsNoView() {
        return readAgain.isEmpty()
                ? done()
                : step(
                        "statement",
                        () -> ReadAgain.check(fresh(), readAgain, model.schema(), model.hasQueryAttributes()));
    }

    private CompletableFuture<@Nullable Void> prepared() {
        return step("prepared_statement", () -> model.prepared().moveTo(fresh(), model.hasQueryAttributes()));
    }

    private ServerConnection fresh() {
        ServerConnection connection = fresh;
        if (connection == null) {
            throw new IllegalStateException("not connected");
        }
        return connection;
    }

    /** @param action gives what stands against it, or null */
    private CompletableFuture<@Nullable Void> step(
            String reason, Supplier<CompletableFuture<@Nullable String>> action) {
        ensureGoesOn();
        return action.get().thenAccept(problem -> {
            if (problem != null) {
                throw new NotMoved(fresh().isOpen() ? reason : NotMoved.UNREACHABLE, problem);
            }
        });
    }

    /** Ends the attempt, once. */
    private void finish(@Nullable Throwable fault) {
        boolean first = !over;
        over = true;
        release();
        deadline.cancel(false);
        answerDeadline.cancel(false);
        close(old);
        if (!first) {
            close(fresh);
            return;
        }
        Throwable why = fault;
        try {
            if (why == null) {
                arrive(fresh());
                return;
            }
        } catch (RuntimeException e) {
            why = e;
        }
        close(fresh);
        if (cause(why) instanceof NotMoved reason) {
            result.failed(reason);
        } else {
            log.error("a session could not be moved for an error of the proxy's own", why);
            result.failed(new NotMoved("internal_error", "see the proxy's log"));
        }
    }

    private void arrive(ServerConnection connection) {
        ServerHandler handler = new ServerHandler(change.session, change.server);
        Channel channel = ChannelHandover.give(connection, ClientHandler.NAME, handler);
        if (channel == null) {
            throw new NotMoved(NotMoved.UNREACHABLE, "the new primary closed the connection");
        }
        change.arrived(channel, to);
        result.moved(
                new ConnectedPrimary(change.context.connector(), to, channel.remoteAddress()),
                handler.parting(channel),
                connection.threadId());
    }

    /** Ends the attempt without a result: the session has ended. */
    void giveUp() {
        if (!over) {
            over = true;
            finish(null);
        }
    }

    private void release() {
        if (counted) {
            counted = false;
            change.context.move().atOnce().end();
        }
    }

    private static void close(@Nullable ServerConnection connection) {
        if (connection != null) {
            connection.close();
        }
    }

    private static Throwable cause(Throwable fault) {
        return fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
    }
}
