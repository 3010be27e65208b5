package io.understudy.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.understudy.base.Secret;
import io.understudy.command.SessionModel;
import io.understudy.config.Address;
import io.understudy.config.FailoverAccount;
import io.understudy.config.Transport;
import io.understudy.connection.DescriptorShortage;
import io.understudy.connection.NetworkTransport;
import io.understudy.connection.SessionConnector;
import io.understudy.handshake.LegCompression;
import io.understudy.handshake.LoginPolicy;
import io.understudy.handshake.LoginProof;
import io.understudy.handshake.LoginResult;
import io.understudy.host.PluginHost;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.move.MovesAtOnce;
import io.understudy.move.NotMoved;
import io.understudy.move.SessionSecrets;
import io.understudy.protocol.CommandCode;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryConnector;
import io.understudy.session.ClientSession;
import io.understudy.session.Destination;
import io.understudy.session.SessionEnvironment;
import io.understudy.session.SessionMover;
import io.understudy.session.SessionRegistry;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.FakeServer;
import io.understudy.testkit.session.FakeServerConnection;
import io.understudy.testkit.session.Scripted;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import java.io.EOFException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Moves over sockets, of sessions that nothing else uses. */
@Timeout(60)
class MoveAttemptTest {
    private final NetworkTransport transport = NetworkTransport.resolve(Transport.NIO);
    private final EventLoopGroup loops = transport.relayGroup(1, "test-move");
    private final EventLoop loop = loops.next();
    private final ScheduledExecutorService probes = Executors.newSingleThreadScheduledExecutor();
    private final Scripted scripted = new Scripted(Memory.direct());
    /** Fails later than it is waited for. */
    private final SessionSecrets secrets = new SessionSecrets(null, task -> {
        Future<?> unused = probes.schedule(task, 200, TimeUnit.MILLISECONDS);
    });

    private Map<Address, Long> answers = new ConcurrentHashMap<>();

    /** How a move ended, and on whose thread. */
    private record Ended(@Nullable NotMoved why, boolean onLoop) {}

    @AfterEach
    void stop() {
        scripted.finish();
        probes.shutdownNow();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static Address address(FakeServer server) {
        return Address.parse("127.0.0.1:" + server.address().getPort());
    }

    private RelayContext context(FakeServer primary) {
        CoreMetrics metrics = new CoreMetrics(new SimpleMeterRegistry(), new LatencyHistograms(), CommandCode::name);
        DescriptorShortage shortage = new DescriptorShortage(ImmediateEventExecutor.INSTANCE);
        PrimaryConnector connector = new PrimaryConnector(
                transport,
                new PrimaryAddress(address(primary), new SimpleMeterRegistry(), Clock.systemUTC()),
                Duration.ofSeconds(5),
                WriteBufferWaterMark.DEFAULT,
                shortage);
        SessionConnector sessions = new SessionConnector(
                transport,
                LoginPolicy.PLAIN,
                null,
                WriteBufferWaterMark.DEFAULT,
                () -> false,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5));
        return new RelayContext(
                new SessionRegistry(1),
                new SessionEnvironment(new PluginHost(metrics), metrics, new SqlAnalyzer(), 1024),
                connector,
                shortage,
                new MoveTools(sessions, secrets, new MovesAtOnce(1), answers));
    }

    private Channel connect(FakeServer server) {
        return new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(server.address())
                .syncUninterruptibly()
                .channel();
    }

    private SessionModel model() {
        scripted.environment.setMoves(true);
        scripted.loggedIn(FakeServerConnection.CAPABILITIES);
        return scripted.model();
    }

    private Ended move(
            FakeServer primary, Channel client, Channel server, SessionModel model, LoginProof proof, boolean gone)
            throws Exception {
        CompletableFuture<Ended> ended = new CompletableFuture<>();
        loop.execute(() -> {
            RelayContext context = context(primary);
            ChannelLeg clientLeg = new ChannelLeg(client);
            ChannelLeg serverLeg = new ChannelLeg(server);
            ClientSession session = context.open(clientLeg);
            server.pipeline().addLast(ClientHandler.NAME, new ServerHandler(session, serverLeg));
            ServerChange change =
                    new ServerChange(context, session, clientLeg, serverLeg, Address.parse("127.0.0.1:1"));
            change.loggedIn(login(proof));
            change.move(model, Set.of(), List.of(), gone, new SessionMover.Result() {
                @Override
                public void moved(Destination to, Runnable parting, long serverThreadId) {
                    ended.complete(new Ended(null, loop.inEventLoop()));
                }

                @Override
                public void failed(NotMoved why) {
                    ended.complete(new Ended(why, loop.inEventLoop()));
                }
            });
        });
        return ended.get(30, TimeUnit.SECONDS);
    }

    private static LoginResult login(LoginProof proof) {
        long capabilities = FakeServerConnection.CAPABILITIES;
        return new LoginResult(
                HandshakeV10.parse(Bytes.unpooled(Scripted.handshakeV10(capabilities, "8.4.0"))),
                HandshakeResponse41.parse(Bytes.unpooled(Scripted.handshakeResponse(capabilities, "app", null))),
                Map.of(),
                capabilities,
                false,
                new LegCompression(0, 0, false, 0, 0),
                2,
                false,
                null,
                proof);
    }

    private static FakeServer lettingIn() throws Exception {
        return new FakeServer(connection -> {
            connection.letIn();
            try {
                while (true) {
                    connection.receive();
                    connection.send(FakeServerConnection.OK);
                }
            } catch (EOFException left) {
                // The test is over.
            }
        });
    }

    /** What it says when it wakes up is no response to what runs on the next server, and its end is not that one's. */
    @Test
    void aSessionLeavesAServerThatIsSilent() throws Exception {
        CompletableFuture<byte[]> said = new CompletableFuture<>();
        try (FakeServer silent = new FakeServer(
                        connection -> said.complete(connection.in().readAllBytes()));
                FakeServer primary = lettingIn();
                FakeServer application = FakeServer.silent()) {
            secrets.accounts(List.of(new FailoverAccount("app", Secret.parse("proxy's"))));
            Channel old = connect(silent);
            Ended ended = move(primary, connect(application), old, model(), new LoginProof.None(""), true);
            assertThat(ended.why()).isNull();
            assertThat(old.pipeline().get(ClientHandler.NAME)).isNull();
            assertThat(said.get(20, TimeUnit.SECONDS)).isEqualTo(Bytes.command(CommandCode.QUIT, ""));
        }
    }

    /** What a stored function has set is known to the server alone. It answers other sessions meanwhile. */
    @Test
    void aServerThatIsSlowIsAskedUntilItHasAnswered() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        answers = new ConcurrentHashMap<>() {
            @Override
            public Long get(Object of) {
                late.countDown();
                return System.nanoTime();
            }
        };
        try (FakeServer slow = new FakeServer(connection -> {
                    for (int i = 0; i < 4; i++) {
                        connection.receive();
                        late.await();
                        connection.error(1226, "its own answer");
                    }
                });
                FakeServer primary = lettingIn();
                FakeServer application = FakeServer.silent()) {
            secrets.accounts(List.of(new FailoverAccount("app", Secret.parse("proxy's"))));
            Ended ended = move(primary, connect(application), connect(slow), model(), new LoginProof.None(""), false);
            assertThat(ended.why()).isNotNull();
            assertThat(ended.why()).hasMessageContaining("its own answer");
        }
    }

    @Test
    void aServerThatFallsSilentIsAskedForAWhile() throws Exception {
        try (FakeServer silent = FakeServer.silent();
                FakeServer primary = lettingIn();
                FakeServer application = FakeServer.silent()) {
            secrets.accounts(List.of(new FailoverAccount("app", Secret.parse("proxy's"))));
            Ended ended = move(primary, connect(application), connect(silent), model(), new LoginProof.None(""), false);
            assertThat(ended.why()).isNull();
        }
    }

    @Test
    void aSecretThatIsNotFoundEndsTheMoveOnTheSessionsLoop() throws Exception {
        try (FakeServer silent = FakeServer.silent();
                FakeServer primary = lettingIn();
                FakeServer application = FakeServer.silent()) {
            LoginProof proof = new LoginProof.NativeResponse(new byte[20], new byte[20]);
            Ended ended = move(primary, connect(application), connect(silent), model(), proof, true);
            assertThat(ended.why()).isNotNull();
            assertThat(ended.why().reason()).isEqualTo("no_credential");
            assertThat(ended.onLoop()).isTrue();
        }
    }
}
