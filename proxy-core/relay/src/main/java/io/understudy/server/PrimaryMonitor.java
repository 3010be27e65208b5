package io.understudy.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.config.Address;
import io.understudy.config.PrimaryConfig;
import io.understudy.connection.NameLookup;
import io.understudy.plugin.AccountUse;
import io.understudy.plugin.ServerFlavor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Monitors the present primary, for the readiness check: whether it is reachable, and whether it is writable.
 *
 * <p>With a monitor account it is queried periodically. Without one only a connection can be attempted, and each
 * connection without a login counts towards {@code max_connect_errors}, after which the server blocks the proxy's host.
 * So it is attempted only until it succeeds once, and again after {@link #suspect}. A client's login that succeeds is a
 * probe as well. The executor must not be an event loop.
 */
public final class PrimaryMonitor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PrimaryMonitor.class);

    /** Interval between the starts of probes. */
    public static final Duration INTERVAL = Duration.ofSeconds(1);

    /** Silence for which a primary still counts as reachable: it may be busy. One that refuses connections does not. */
    static final Duration SILENCE = Duration.ofSeconds(3);

    /** A primary without a sign of life for so long has missed a probe. */
    private static final Duration MISSED = Duration.ofSeconds(2);

    /** What does not work without the account. */
    private static final String FUNCTION = "the primary's health and role";

    private final PrimaryAddress address;
    private final PrimaryProbe probe;
    private final @Nullable NameLookup names;
    private final boolean hasAccount;
    private final @Nullable AccountHealth account;
    private final AccountUse use;
    private final LongSupplier nanoClock;
    private final Polling polling;
    private volatile Runnable afterProbe = () -> {};
    private final List<Runnable> reachableListeners = new CopyOnWriteArrayList<>();
    /** Whether listeners know that the primary is reachable; true at start. Used by {@link #poll} alone. */
    private boolean announced = true;

    private volatile SqlModeListener sqlModes = (value, sentNanos, respondedNanos) -> {};
    /** Replaced by the probe's thread, by event loops after a login, and by the thread that changes the address. */
    private final AtomicReference<PrimaryState> state = new AtomicReference<>(PrimaryState.UNKNOWN);

    private volatile boolean suspected = true;
    private volatile long lastSignNanos;
    /** Whether the log's last line about it is that the primary is read-only. */
    private volatile boolean toldReadOnly;

    /**
     * @param account null to attempt connections alone
     * @param threads runs queries that may hang
     * @param names null to leave the primary's name to the probe
     */
    public PrimaryMonitor(
            PrimaryAddress address,
            PrimaryConfig config,
            @Nullable LiveAccount account,
            NameLookup names,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Executor threads,
            Duration interval) {
        this(
                address,
                probe(address::get, config, account, names, threads),
                account == null ? null : account.health(),
                names,
                registry,
                executor,
                interval,
                System::nanoTime);
    }

    PrimaryMonitor(
            PrimaryAddress address,
            PrimaryProbe probe,
            @Nullable AccountHealth account,
            @Nullable NameLookup names,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Duration interval,
            LongSupplier nanoClock) {
        this.address = address;
        this.probe = probe;
        this.names = names;
        this.hasAccount = account != null;
        this.account = account;
        this.use = account == null ? AccountUse.NONE : account.use(FUNCTION);
        this.nanoClock = nanoClock;
        this.lastSignNanos = nanoClock.getAsLong();
        this.polling = new Polling(executor, interval, this::poll);
        Gauge.builder("understudy.primary.up", this, monitor -> monitor.state().reachable() ? 1 : 0)
                .description("1 when the primary responds")
                .register(registry);
        Gauge.builder("understudy.primary.read.only", this, PrimaryMonitor::readOnlyGauge)
                .description("1 while the primary is read-only; NaN when that is not known")
                .register(registry);
        address.silentWhile(this::silent);
        address.onChange((from, to) -> changed());
    }

    /** Returns whether the primary is unreachable, or has missed the last probe. */
    private boolean silent() {
        return absent() || hasAccount && nanoClock.getAsLong() - lastSignNanos > MISSED.toNanos();
    }

    private static PrimaryProbe probe(
            Supplier<Address> at,
            PrimaryConfig config,
            @Nullable LiveAccount account,
            NameLookup names,
            Executor threads) {
        return account == null
                ? () -> connectOnce(at.get(), names, config.connectTimeout())
                : new JdbcPrimaryProbe(at, config, account::credentials, names, threads);
    }

    /** Probes a server once. Waits. Returns why it cannot be the primary; null if it can. */
    public static @Nullable String unusable(
            Address at, PrimaryConfig config, @Nullable LiveAccount account, NameLookup names, Executor threads) {
        return unusable(at, probe(() -> at, config, account, names, threads));
    }

    /** @param by is closed */
    static @Nullable String unusable(Address at, PrimaryProbe by) {
        try (PrimaryProbe probe = by) {
            return Boolean.TRUE.equals(probe.run().readOnly())
                    ? at
                            + " is read-only: promote it first (understudy failover if the primary is lost, else"
                            + " understudy switchover)"
                    : null;
        } catch (SQLException | IOException e) {
            // A server that is alive and refuses the monitor's account is the operator's to judge.
            return ProbeFailure.of(e) == ProbeFailure.ACCOUNT
                    ? null
                    : at + " does not respond: " + ProbeFailure.reason(e);
        }
    }

    private double readOnlyGauge() {
        Boolean readOnly = state().readOnly();
        return readOnly == null ? Double.NaN : readOnly ? 1 : 0;
    }

    /** Receives the primary's global {@code sql_mode} after each probe. */
    public interface SqlModeListener {
        /**
         * Called after each probe.
         *
         * @param value null when it could not be read, or when sessions may start with another one
         * @param sentNanos monotonic time before the probe
         * @param respondedNanos monotonic time after the probe
         */
        void seen(@Nullable String value, long sentNanos, long respondedNanos);
    }

    /** Sets the listener. Must be called before {@link #start}. */
    public void onSqlMode(SqlModeListener listener) {
        sqlModes = listener;
    }

    /** Adds a listener for a primary that is reachable again. The returned handle removes it. */
    public AutoCloseable onReachable(Runnable listener) {
        reachableListeners.add(listener);
        return () -> reachableListeners.remove(listener);
    }

    /** Sets what is called after each probe, on its thread, and when the primary has changed. Must not wait. */
    public void afterProbe(Runnable listener) {
        afterProbe = listener;
    }

    /** Returns whether the primary is known not to respond. Thread-safe. */
    @SuppressWarnings("ReferenceEquality") // UNKNOWN is the mark for not yet probed
    public boolean absent() {
        PrimaryState now = state();
        return now != PrimaryState.UNKNOWN && !now.reachable();
    }

    /** Returns the monotonic time of the primary's last sign of life, or since which it is the primary. Thread-safe. */
    public long lastSignNanos() {
        return lastSignNanos;
    }

    public void start() {
        polling.start();
    }

    /** Returns the result of the last probe. Thread-safe. */
    public PrimaryState state() {
        return Objects.requireNonNull(state.get());
    }

    /**
     * Requests a probe even without a monitor account, because a session could not be connected. Thread-safe; does not
     * wait.
     */
    public void suspect() {
        suspected = true;
        polling.soon();
    }

    /**
     * Forgets whether the primary is read-only, and probes it: an operator's change is over, for which it may have been
     * read-only for a while. Thread-safe; does not wait.
     */
    public void changeOver() {
        state.updateAndGet(PrimaryState::withoutRole);
        suspect();
    }

    /** Takes a client's login that has succeeded at {@code server}. Thread-safe; does not wait. */
    public void loggedIn(Address server) {
        if (!server.equals(address.get())) {
            return;
        }
        lastSignNanos = nanoClock.getAsLong();
        for (PrimaryState before = state(); !before.reachable(); before = state()) {
            // The probe that follows finds out the rest.
            if (become(before, before.alive())) {
                suspect();
            }
        }
    }

    private void changed() {
        long now = nanoClock.getAsLong();
        lastSignNanos = now;
        state.set(PrimaryState.UNKNOWN);
        toldReadOnly = false;
        sqlModes.seen(null, now, now);
        suspect();
        afterProbe.run();
    }

    void poll() {
        Address present = address.get();
        followName(present);
        if (!hasAccount && !suspected) {
            return;
        }
        suspected = false;
        PrimaryState before = state();
        PrimaryState now;
        long signNanos = lastSignNanos;
        String sqlMode = null;
        long sentNanos = System.nanoTime();
        try {
            PrimaryProbe.Result response = probe.run();
            sqlMode = response.sqlMode();
            String version = response.version();
            ServerFlavor flavor = version == null ? null : ServerFlavor.of(version);
            lastSignNanos = nanoClock.getAsLong();
            use.works();
            now = new PrimaryState(true, flavor, version, response.readOnly(), response.identity(), null);
        } catch (SQLException | IOException e) {
            if (polling.stopped()) {
                return;
            }
            suspected = true;
            now = after(e, before, present);
            if (!now.reachable() && lastSignNanos != signNanos) {
                now = state(); // a client has logged in since the probe began, which knew less
                before = now;
            }
        }
        if (!present.equals(address.get())) {
            return; // this was the server before
        }
        sqlModes.seen(sqlMode, sentNanos, System.nanoTime());
        if (become(before, now)) {
            announce(now.reachable());
            afterProbe.run();
        } else {
            suspect(); // it became another one meanwhile
        }
    }

    /** Tells the listeners that what failed may work again. They must not wait. */
    public void announceReachable() {
        reachableListeners.forEach(Runnable::run);
    }

    /** Runs the listeners on the probe's thread, never on the event loop of a login. */
    private void announce(boolean reachable) {
        if (reachable && !announced) {
            announceReachable();
        }
        announced = reachable;
    }

    @SuppressWarnings("ReferenceEquality") // UNKNOWN is the mark for not yet probed
    private PrimaryState after(Exception failure, PrimaryState before, Address present) {
        long silent = nanoClock.getAsLong() - lastSignNanos;
        return switch (ProbeFailure.of(failure)) {
            case ACCOUNT -> {
                lastSignNanos = nanoClock.getAsLong();
                if (account != null) {
                    account.refused(FUNCTION, null, failure);
                }
                yield before.alive();
            }
            case LATE -> {
                lastSignNanos = nanoClock.getAsLong();
                yield before.alive();
            }
            case SILENT ->
                (before.reachable() || before == PrimaryState.UNKNOWN) && silent < SILENCE.toNanos()
                        ? before
                        : before.down("primary " + present + ": no response for "
                                + Math.max(1, silent / 1_000_000_000) + " s; "
                                + (acceptsConnections(failure)
                                        ? "it accepts connections, so it is frozen or overloaded"
                                        : "it accepts no connections, so its host is down or the network is cut"));
            case DOWN, HOST -> before.down("primary " + present + ": " + ProbeFailure.reason(failure));
        };
    }

    /** The kernel of a frozen server still accepts connections for it. */
    private static boolean acceptsConnections(Exception failure) {
        return !ProbeFailure.reason(failure).toLowerCase(Locale.ROOT).contains("connect timed out");
    }

    /** Replaces the state and logs what is new. Returns false if it was not {@code before} any more. */
    @SuppressWarnings("ReferenceEquality") // UNKNOWN is the mark for not yet probed
    private boolean become(PrimaryState before, PrimaryState now) {
        if (!state.compareAndSet(before, now)) {
            return false;
        }
        Address present = address.get();
        if (now.reachable() && !before.reachable()) {
            log.info("primary {} is reachable{}", present, now.version() == null ? "" : ", version " + now.version());
        } else if (now != before && !now.reachable() && (before.reachable() || before == PrimaryState.UNKNOWN)) {
            log.warn("unreachable: {}", now.problem());
        }
        if (Boolean.TRUE.equals(now.readOnly()) && !toldReadOnly && !address.isChangePlanned()) {
            toldReadOnly = true;
            log.warn(
                    "primary {} is read-only: clients cannot write. If another server has been promoted, tell the"
                            + " proxy (with primary.candidates it sees that itself): change primary.address and reload,"
                            + " or POST /api/primary; if no other server has been promoted since, and it replicates"
                            + " from none: SET GLOBAL read_only=0 there",
                    present);
        } else if (toldReadOnly && Boolean.FALSE.equals(now.readOnly())) {
            toldReadOnly = false;
            log.info("primary {} is writable again", present);
        }
        return true;
    }

    /** Looks up the primary's name, and notifies the owner of its address if the name has moved. */
    private void followName(Address present) {
        if (names == null || present.isUnix()) {
            return;
        }
        try {
            address.resolved(present, new HashSet<>(names.lookup(present.host(), JdbcPrimaryProbe.PATIENCE)));
        } catch (IOException e) {
            // The probe and the sessions fail for the same reason, and report it.
            log.debug("primary {}: {}", present, e.getMessage());
        }
    }

    private static PrimaryProbe.Result connectOnce(Address address, NameLookup names, Duration timeout)
            throws IOException {
        if (address.isUnix()) {
            SocketChannel.open(UnixDomainSocketAddress.of(address.path())).close();
            return PrimaryProbe.Result.NONE;
        }
        InetAddress host = names.lookup(address.host(), timeout).get(0);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, address.port()), (int)
                    Math.min(JdbcPrimaryProbe.PATIENCE.toMillis(), timeout.toMillis()));
        }
        return PrimaryProbe.Result.NONE;
    }

    @Override
    public void close() {
        polling.stop();
        probe.close();
    }
}
