package io.understudy.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.command.SessionModel;
import io.understudy.host.PluginHost;
import io.understudy.host.PluginStartException;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.session.ClientSession;
import io.understudy.session.Destination;
import io.understudy.session.SessionEnvironment;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A whole session between two legs without sockets. */
public final class Scripted {
    public static final long CLASSIC = Capabilities.LONG_PASSWORD
            | Capabilities.PROTOCOL_41
            | Capabilities.SECURE_CONNECTION
            | Capabilities.TRANSACTIONS
            | Capabilities.PLUGIN_AUTH
            | Capabilities.MULTI_STATEMENTS
            | Capabilities.MULTI_RESULTS
            | Capabilities.PS_MULTI_RESULTS
            | Capabilities.LOCAL_FILES;
    public static final int STATEMENT_LIMIT = 64 * 1024;

    public final Memory memory;
    public final FakeLeg client;
    public final FakeLeg server;
    public final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    public final CoreMetrics metrics = new CoreMetrics(meters, new LatencyHistograms(), CommandCode::name);
    public final SessionEnvironment environment;
    public final ClientSession session;
    private boolean primaryChanged;
    private boolean primaryAbandoned;
    private int ends;

    /** The configuration, which has no keys. */
    public record NoConfig() {}

    /** Gives every session the currently set observer. */
    private record Plugin(String id, Function<SessionContext, SessionObserver> observers)
            implements ProxyPlugin<NoConfig> {
        @Override
        public Class<NoConfig> configType() {
            return NoConfig.class;
        }

        @Override
        public void start(PluginContext context, NoConfig config) {}

        @Override
        public void reload(NoConfig config) {}

        @Override
        public SessionObserver openSession(SessionContext session) {
            return observers.apply(session);
        }

        @Override
        public void stop() {}
    }

    public Scripted(Memory memory, SessionObserver... observers) {
        this(
                memory,
                Stream.of(observers)
                        .<Function<SessionContext, SessionObserver>>map(observer -> session -> observer)
                        .toList());
    }

    public Scripted(Memory memory, Function<SessionContext, SessionObserver> observer) {
        this(memory, List.of(observer));
    }

    private Scripted(Memory memory, List<Function<SessionContext, SessionObserver>> observers) {
        this.memory = memory;
        client = new FakeLeg(memory.alloc());
        server = new FakeLeg(memory.alloc());
        Map<String, ProxyPlugin<?>> plugins = new LinkedHashMap<>();
        Map<String, Record> configs = new LinkedHashMap<>();
        for (int i = 0; i < observers.size(); i++) {
            plugins.put("p" + i, new Plugin("p" + i, observers.get(i)));
            configs.put("p" + i, new NoConfig());
        }
        PluginHost host = new PluginHost(metrics);
        try {
            host.start(plugins, configs, Scripted::noContext);
        } catch (PluginStartException e) {
            throw new AssertionError(e);
        }
        environment = new SessionEnvironment(host, metrics, new SqlAnalyzer(), STATEMENT_LIMIT);
        session = new ClientSession(7, client, environment, s -> ends++);
    }

    @SuppressWarnings("NullAway") // no plugin of these tests uses its context
    private static PluginContext noContext(String id) {
        return null;
    }

    /** Returns a handshake packet's payload. */
    public static byte[] handshakeV10(long capabilities, String version) {
        boolean mariaDb = (capabilities & Capabilities.LONG_PASSWORD) == 0;
        return Bytes.concat(
                Bytes.of(10),
                Bytes.text(version + "\0"),
                Bytes.int4(4711),
                Bytes.text("12345678\0"),
                Bytes.int2((int) capabilities),
                Bytes.of(33),
                Bytes.int2(ServerStatus.AUTOCOMMIT),
                Bytes.int2((int) (capabilities >>> 16)),
                Bytes.of(21, 0, 0, 0, 0, 0, 0),
                Bytes.int4(mariaDb ? (int) (capabilities >>> 32) : 0),
                Bytes.text("abcdefghijkl\0"),
                Bytes.text("mysql_native_password\0"));
    }

    /** Returns the payload of a HandshakeResponse41. */
    public static byte[] handshakeResponse(long capabilities, String user, @Nullable String schema) {
        boolean mariaDb = (capabilities & Capabilities.LONG_PASSWORD) == 0;
        return Bytes.concat(
                Bytes.int4((int) capabilities),
                Bytes.int4(1 << 24),
                Bytes.of(45),
                new byte[19],
                Bytes.int4(mariaDb ? (int) (capabilities >>> 32) : 0),
                Bytes.text(user + "\0"),
                Bytes.shortString("01234567890123456789"),
                schema == null ? new byte[0] : Bytes.text(schema + "\0"),
                Bytes.text("mysql_native_password\0"));
    }

    /** Connects and logs in, and discards the bytes of the login. */
    public Scripted loggedIn(long capabilities) {
        return loggedIn(capabilities, ServerStatus.AUTOCOMMIT);
    }

    /** Connects the session to its server, the primary. */
    public void connectServer() {
        session.serverConnected(
                server,
                new Destination() {
                    @Override
                    public String name() {
                        return "the primary";
                    }

                    @Override
                    public boolean isPrimary() {
                        return !primaryChanged;
                    }

                    @Override
                    public boolean isAbandoned() {
                        return primaryAbandoned;
                    }

                    @Override
                    public void loggedIn() {}

                    @Override
                    public void silent() {}
                },
                () -> {});
    }

    /** Makes another server the primary, as the session's own is silent. */
    public void primaryIsAbandoned() {
        primaryAbandoned = true;
        primaryChanges();
    }

    /** Makes another server the primary. */
    public void primaryChanges() {
        primaryChanged = true;
        session.primaryChanged(1);
    }

    /** Makes the session's server the primary again. */
    public void primaryReturns() {
        primaryChanged = false;
        session.primaryChanged(2);
    }

    public Scripted loggedIn(long capabilities, int status) {
        connectServer();
        boolean mariaDb = (capabilities & Capabilities.LONG_PASSWORD) == 0;
        server(Bytes.packet(0, handshakeV10(capabilities, mariaDb ? "5.5.5-10.11.6-MariaDB" : "8.4.0")));
        client(Bytes.packet(1, handshakeResponse(capabilities, "app", null)));
        server(Bytes.packet(2, Bytes.ok(0, status)));
        assertThat(session.loggedIn()).isTrue();
        client.take();
        server.take();
        return this;
    }

    public void client(byte[]... packets) {
        session.fromClient(Bytes.buffer(memory.alloc(), Bytes.concat(packets)));
        session.clientReadComplete();
    }

    public void server(byte[]... packets) {
        session.fromServer(Bytes.buffer(memory.alloc(), Bytes.concat(packets)));
        session.serverReadComplete();
    }

    public SessionModel model() {
        SessionModel model = session.model();
        if (model == null) {
            throw new AssertionError("the session is " + session.phaseName());
        }
        return model;
    }

    /** Returns the number of sessions counted with a close reason. */
    public double closed(String reason) {
        var counter =
                meters.find("understudy.sessions.closed").tag("reason", reason).counter();
        return counter == null ? 0 : counter.count();
    }

    /** Returns the number of sessions relayed unread for a reason. */
    public double unread(String reason) {
        var counter =
                meters.find("understudy.unread.sessions").tag("reason", reason).counter();
        return counter == null ? 0 : counter.count();
    }

    public int ends() {
        return ends;
    }

    /** Ends the session if necessary and asserts that every buffer is released. */
    public void finish() {
        session.clientClosed(false);
        assertThat(session.ended()).isTrue();
        assertThat(ends).isEqualTo(1);
        assertThat(List.of(client.closed())).containsOnly(true);
        memory.assertAllReturned();
    }
}
