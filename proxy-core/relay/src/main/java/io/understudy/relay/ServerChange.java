package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.understudy.base.NoTask;
import io.understudy.command.SessionModel;
import io.understudy.config.Address;
import io.understudy.connection.ChannelHandover;
import io.understudy.connection.ServerLogin;
import io.understudy.connection.auth.LoginSecret;
import io.understudy.handshake.LoginProof;
import io.understudy.handshake.LoginResult;
import io.understudy.move.CarriedState;
import io.understudy.move.Found;
import io.understudy.move.NotMoved;
import io.understudy.move.SecretOrReason;
import io.understudy.move.StateReader;
import io.understudy.move.StateRestorer;
import io.understudy.plugin.ServerConnection;
import io.understudy.server.PrimaryAddress;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionMover;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a session's server leg to another server.
 *
 * <pre>
 *   old channel ──lent──▶ asked for the state ──▶ COM_QUIT
 *   new channel ──▶ login as the same user ──▶ state restored ──▶ statements prepared ──given──▶ the leg
 * </pre>
 *
 * <p>The leg stays what trackers and scanners write to; its channel is another one afterwards. One for each session; on
 * its event loop.
 */
final class ServerChange implements SessionMover {
    /** A server that does not say what the session's state is within this time is asked no longer. */
    private static final int ANSWER_MILLIS = 2_000;

    private final RelayContext context;
    private final ClientSession session;
    private final ChannelLeg client;
    private final ChannelLeg server;
    private final EventLoop loop;
    private Address address;
    private @Nullable LoginProof proof;
    private String loginUser = "";
    private long maxPacket;
    private @Nullable Attempt attempt;

    /** @param address of the server to which the leg leads */
    ServerChange(RelayContext context, ClientSession session, ChannelLeg client, ChannelLeg server, Address address) {
        this.context = context;
        this.session = session;
        this.client = client;
        this.server = server;
        this.address = address;
        this.loop = client.channel().eventLoop();
    }

    @Override
    public void loggedIn(LoginResult login) {
        proof = login.proof();
        loginUser = login.handshakeResponse().user();
        maxPacket = login.handshakeResponse().maxPacketSize();
    }

    @Override
    public void move(SessionModel model, Set<String> ownVariables, boolean serverGone, Result result) {
        Attempt next = new Attempt(model, ownVariables, serverGone, result);
        attempt = next;
        context.move().atOnce().begin(() -> loop.execute(next::run));
    }

    @Override
    public void later(Runnable task, long millis) {
        Future<?> unused = loop.schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void ended() {
        Attempt running = attempt;
        if (running != null) {
            running.giveUp();
        }
        LoginProof kept = proof;
        if (kept != null) {
            kept.wipe();
        }
    }

    /** One move. */
    private final class Attempt {
        private final SessionModel model;
        private final Set<String> ownVariables;
        private final boolean serverGone;
        private final Result result;
        private @Nullable ServerConnection old;
        private @Nullable ServerConnection fresh;
        private Address to = address;
        private Future<?> deadline = NoTask.NONE;
        private boolean over;

        Attempt(SessionModel model, Set<String> ownVariables, boolean serverGone, Result result) {
            this.model = model;
            this.ownVariables = ownVariables;
            this.serverGone = serverGone;
            this.result = result;
        }

        void run() {
            if (over) {
                context.move().atOnce().end();
                return;
            }
            try {
                state().thenCompose(this::connected)
                        .thenCompose(this::restored)
                        .thenCompose(done -> prepared())
                        .whenComplete(this::completed);
            } catch (RuntimeException e) {
                completed(null, e);
            }
        }

        private CompletableFuture<CarriedState> state() {
            ensureMovable();
            if (serverGone) {
                return of(StateReader.followed(model));
            }
            CompletableFuture<CarriedState> state = new CompletableFuture<>();
            ServerConnection asked = ChannelHandover.take(
                    server.channel(),
                    ClientHandler.NAME,
                    address,
                    model.flavor(),
                    model.serverThreadId(),
                    model.capabilities());
            old = asked;
            StateReader.read(
                    asked,
                    model,
                    ownVariables,
                    found -> of(found).whenComplete((value, fault) -> {
                        if (fault == null) {
                            state.complete(value);
                        } else if (asked.isOpen()) {
                            state.completeExceptionally(fault);
                        } else {
                            complete(state, of(StateReader.followed(model)));
                        }
                    }));
            deadline = loop.schedule(asked::close, ANSWER_MILLIS, TimeUnit.MILLISECONDS);
            return state;
        }

        private static <T> void complete(CompletableFuture<T> to, CompletableFuture<T> from) {
            from.whenComplete((value, fault) -> {
                if (fault == null) {
                    to.complete(value);
                } else {
                    to.completeExceptionally(fault);
                }
            });
        }

        private void ensureMovable() {
            if (server.isCompressed()) {
                throw new NotMoved("compression", "its connection to the server is compressed");
            }
            if (proof == null) {
                throw new NotMoved("no_credential", "it had logged in before failover.sessions was move");
            }
            String prepared = model.prepared().whyNotMoved();
            if (prepared != null) {
                throw new NotMoved("prepared_statement", prepared);
            }
        }

        private CompletableFuture<CarriedState> of(Found found) {
            if (found instanceof CarriedState known) {
                return CompletableFuture.completedFuture(known);
            }
            return CompletableFuture.failedFuture(
                    found instanceof Found.Stays stays
                            ? new NotMoved(stays.reason(), stays.detail())
                            : new NotMoved(((Found.Closed) found).reason(), ((Found.Closed) found).detail()));
        }

        private CompletableFuture<CarriedState> connected(CarriedState state) {
            deadline.cancel(false);
            PrimaryAddress.Present present = context.connector().present();
            to = present.address();
            LoginProof kept = proof;
            if (kept == null) {
                throw new NotMoved("no_credential", "");
            }
            // COM_CHANGE_USER to another user has shown nothing of that one's secret.
            boolean known = model.user().equals(loginUser);
            return context.move()
                    .secrets()
                    .find(model.user(), known ? kept : new LoginProof.None("COM_CHANGE_USER"))
                    .thenComposeAsync(this::connect, loop)
                    .thenApply(connection -> {
                        fresh = connection;
                        if (over) {
                            connection.close();
                            throw new NotMoved("left", "its client has left");
                        }
                        return state;
                    })
                    .toCompletableFuture();
        }

        private CompletableFuture<ServerConnection> connect(SecretOrReason found) {
            LoginSecret secret = found.secret();
            if (secret == null) {
                throw new NotMoved("no_credential", found.reason());
            }
            ServerLogin login = new ServerLogin(
                    model.user(),
                    secret,
                    model.schema(),
                    model.capabilities(),
                    model.settings().loginCollation(),
                    maxPacket,
                    model.attributes(),
                    client.isEncrypted());
            ByteBuf header =
                    context.connector().proxyHeader(client.alloc(), client.remoteAddress(), client.localAddress());
            return context.move()
                    .connector()
                    .connect(loop, to, login, header)
                    .whenComplete((connection, fault) -> secret.wipe())
                    .exceptionally(fault -> {
                        throw new NotMoved(
                                "refused", String.valueOf(cause(fault).getMessage()));
                    })
                    .toCompletableFuture();
        }

        private CompletableFuture<Void> restored(CarriedState state) {
            return step("state_refused", then -> StateRestorer.restore(fresh(), state, then));
        }

        private CompletableFuture<Void> prepared() {
            return step("prepared_statement", then -> model.prepareOn(fresh(), then));
        }

        private ServerConnection fresh() {
            ServerConnection connection = fresh;
            if (connection == null) {
                throw new IllegalStateException("not connected");
            }
            return connection;
        }

        private CompletableFuture<Void> step(String reason, Consumer<Consumer<@Nullable String>> action) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            action.accept(problem -> {
                if (problem == null) {
                    done.complete(null);
                } else {
                    done.completeExceptionally(new NotMoved(reason, problem));
                }
            });
            return done;
        }

        private void completed(@Nullable Void nothing, @Nullable Throwable fault) {
            context.move().atOnce().end();
            deadline.cancel(false);
            if (over) {
                close(fresh);
                return;
            }
            over = true;
            attempt = null;
            close(old);
            if (fault != null) {
                close(fresh);
                Throwable cause = cause(fault);
                if (cause instanceof NotMoved why) {
                    result.failed(why.reason(), String.valueOf(why.getMessage()));
                } else {
                    result.failed("internal_error", String.valueOf(cause));
                }
                return;
            }
            arrive(fresh());
        }

        private void arrive(ServerConnection connection) {
            long threadId = connection.threadId();
            ServerHandler handler = new ServerHandler(session, server);
            Channel channel = ChannelHandover.give(connection, ClientHandler.NAME, handler);
            if (channel == null) {
                result.failed("refused", "the new primary closed the connection");
                return;
            }
            server.become(channel);
            address = to;
            result.moved(
                    new ConnectedPrimary(context.connector(), to, channel.remoteAddress()),
                    handler.parting(channel),
                    threadId,
                    model.serverVersion());
        }

        /** The session has ended. */
        void giveUp() {
            if (!over) {
                over = true;
                close(old);
                close(fresh);
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
}
