package io.understudy.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.config.PrimaryConfig;
import io.understudy.plugin.ServerFlavor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Monitors whether the primary is reachable, for the readiness check.
 *
 * <p>With a monitor account it is queried periodically. Without one only a connection can be attempted, and each
 * connection without a login counts towards {@code max_connect_errors}, after which the server blocks the proxy's host.
 * So it is attempted only until it succeeds once, and again after {@link #suspect}. The executor must not be an event
 * loop.
 */
public final class PrimaryMonitor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PrimaryMonitor.class);

    /** Interval between probes of a primary that responds. */
    public static final Duration INTERVAL = Duration.ofSeconds(1);

    private final String address;
    private final PrimaryProbe probe;
    private final boolean asks;
    private final Polling polling;
    private volatile SqlModeListener sqlModes = (value, asked, answered) -> {};
    private volatile PrimaryState state = PrimaryState.UNKNOWN;
    private volatile boolean suspected = true;

    /** @param queries connections with the monitor account, or null when there is no such account */
    public PrimaryMonitor(
            PrimaryConfig primary,
            @Nullable DataSource queries,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Duration interval) {
        this(
                primary.address().toString(),
                queries == null ? () -> knock(primary) : () -> ask(queries),
                queries != null,
                registry,
                executor,
                interval);
    }

    PrimaryMonitor(
            String address,
            PrimaryProbe probe,
            boolean asks,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Duration interval) {
        this.address = address;
        this.probe = probe;
        this.asks = asks;
        this.polling = new Polling(
                executor,
                interval,
                this::poll,
                () -> ThreadLocalRandom.current().nextDouble());
        Gauge.builder("understudy.primary.up", this, monitor -> monitor.state.reachable() ? 1 : 0)
                .description("1 when the primary answers")
                .register(registry);
    }

    /** Receives the primary's global {@code sql_mode} after each probe. */
    public interface SqlModeListener {
        /**
         * Called after each probe.
         *
         * @param value null when it could not be read, or when sessions may start with another one
         * @param askedNanos monotonic time before the probe
         * @param answeredNanos monotonic time after the probe
         */
        void seen(@Nullable String value, long askedNanos, long answeredNanos);
    }

    /** Sets the listener. Must be called before {@link #start}. */
    public void tellSqlMode(SqlModeListener listener) {
        sqlModes = listener;
    }

    public void start() {
        polling.start();
    }

    /** Returns the result of the last probe. Thread-safe. */
    public PrimaryState state() {
        return state;
    }

    /**
     * Requests a probe even without a monitor account, because a session could not be connected. Thread-safe; does not
     * wait.
     */
    public void suspect() {
        suspected = true;
    }

    boolean poll() {
        if (!asks && !suspected) {
            return true;
        }
        suspected = false;
        PrimaryState before = state;
        PrimaryState now;
        String sqlMode = null;
        long asked = System.nanoTime();
        try {
            PrimaryProbe.Result response = probe.ask();
            sqlMode = response.sqlMode();
            String version = response.version();
            ServerFlavor flavor = version == null
                    ? null
                    : version.toLowerCase(Locale.ROOT).contains("mariadb") ? ServerFlavor.MARIADB : ServerFlavor.MYSQL;
            now = new PrimaryState(true, flavor, version, null);
        } catch (SQLException | IOException e) {
            if (polling.stopped()) {
                return false;
            }
            suspected = true;
            now = PrimaryState.down(before, "primary " + address + ": " + Reasons.of(e));
        }
        state = now;
        sqlModes.seen(sqlMode, asked, System.nanoTime());
        report(before, now);
        return now.reachable();
    }

    @SuppressWarnings("ReferenceEquality") // UNKNOWN is the one state that no probe has made
    private void report(PrimaryState before, PrimaryState now) {
        if (now.reachable() && !before.reachable()) {
            log.info("primary {} is reachable{}", address, now.version() == null ? "" : ", version " + now.version());
        } else if (!now.reachable() && (before.reachable() || before == PrimaryState.UNKNOWN)) {
            log.warn("primary {} is unreachable: {}", address, now.problem());
        }
    }

    private static PrimaryProbe.Result ask(DataSource queries) throws SQLException {
        try (Connection connection = queries.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION(), @@global.sql_mode, @@global.init_connect")) {
            row.next();
            String atLogin = row.getString(3);
            // init_connect may change the mode, and runs for some accounts only.
            boolean untouched = atLogin == null || atLogin.isBlank();
            return new PrimaryProbe.Result(String.valueOf(row.getString(1)), untouched ? row.getString(2) : null);
        }
    }

    private static PrimaryProbe.Result knock(PrimaryConfig primary) throws IOException {
        if (primary.address().isUnix()) {
            SocketChannel.open(UnixDomainSocketAddress.of(primary.address().path()))
                    .close();
            return PrimaryProbe.Result.NONE;
        }
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(
                            primary.address().host(), primary.address().port()),
                    (int) Math.min(Integer.MAX_VALUE, primary.connectTimeout().toMillis()));
        }
        return PrimaryProbe.Result.NONE;
    }

    @Override
    public void close() {
        polling.stop();
    }
}
