package io.understudy.server;

import io.understudy.config.Address;
import io.understudy.config.PrimaryConfig;
import io.understudy.connection.Credentials;
import io.understudy.connection.NameLookup;
import io.understudy.servers.Identity;
import io.understudy.servers.ServerQueries;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Probes a server by one statement on a connection of its own, so that it never waits for a pool. A response that is
 * late is awaited by the following probes: a frozen server that wakes up responds at once, and is not left with one
 * abandoned login per second, which it would count towards {@code max_connect_errors}. Used by one thread at a time.
 */
final class JdbcPrimaryProbe implements PrimaryProbe {
    /** The time that one probe waits. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Less than {@link #PATIENCE}, so that it is known which of the two failed. */
    private static final Duration CONNECT = Duration.ofMillis(900);

    /** After that a connection is given up. A new one tells a frozen server from a cut network. */
    private static final Duration RESPONSE = Duration.ofSeconds(2);
    /** A server that has accepted a connection gets longer to begin the login, see above. */
    private static final Duration LOGIN = Duration.ofSeconds(10);

    private static final String SQL =
            "SELECT VERSION(), @@global.sql_mode, @@global.init_connect, @@global.read_only, " + Identity.SHORT;

    private final Supplier<Address> address;
    private final Function<Address, DataSource> sources;
    private final NameLookup names;
    private final Executor threads;
    /** Read by {@link #close}, which comes from another thread than the probes. */
    private volatile @Nullable Target target;

    private volatile boolean closed;

    /**
     * @param address called for each probe
     * @param credentials called for each connection
     * @param threads runs the queries, at most one at a time for each address
     */
    JdbcPrimaryProbe(
            Supplier<Address> address,
            PrimaryConfig config,
            Supplier<Credentials> credentials,
            NameLookup names,
            Executor threads) {
        this(address, at -> source(at, config, credentials, names), names, threads);
    }

    /** @param sources opens connections to an address */
    JdbcPrimaryProbe(
            Supplier<Address> address, Function<Address, DataSource> sources, NameLookup names, Executor threads) {
        this.address = address;
        this.sources = sources;
        this.names = names;
        this.threads = threads;
    }

    private static DataSource source(
            Address at, PrimaryConfig config, Supplier<Credentials> credentials, NameLookup names) {
        Duration connect = config.connectTimeout().compareTo(CONNECT) < 0 ? config.connectTimeout() : CONNECT;
        return new DriverSource(() -> at, names, config.tls(), credentials, connect, LOGIN, System::nanoTime);
    }

    @Override
    public Result run() throws SQLException, IOException {
        Address now = address.get();
        Target present = target;
        if (present == null || !present.at.equals(now)) {
            leave();
            present = new Target(now, sources.apply(now));
            target = present;
            if (closed) {
                present.left = true; // close() may have seen the former target, or none
            }
        }
        return present.run();
    }

    @Override
    public void close() {
        closed = true;
        leave();
    }

    /** Leaves a pending query to its timeout and closes the connection. */
    private void leave() {
        Target left = target;
        if (left != null) {
            left.left = true;
            drop(left.connection);
        }
    }

    /** The queries of one address: what comes late from a former primary must not pass for the present one's. */
    private final class Target {
        private final Address at;
        private final DataSource source;
        private @Nullable FutureTask<Result> pending;
        /** Written by the thread of the pending task, which the next one begins after. */
        private volatile @Nullable Connection connection;

        /** The addresses of the server's name when the connection was opened; used as the connection is. */
        private volatile Set<InetAddress> hosts = Set.of();

        private volatile boolean left;

        Target(Address at, DataSource source) {
            this.at = at;
            this.source = source;
        }

        Result run() throws SQLException, IOException {
            FutureTask<Result> task = pending;
            if (task == null) {
                task = new FutureTask<>(this::query);
                pending = task;
                threads.execute(task);
            }
            try {
                Result result = task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
                pending = null;
                return result;
            } catch (TimeoutException e) {
                throw new SocketTimeoutException("no response");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            } catch (ExecutionException e) {
                pending = null;
                if (e.getCause() instanceof SQLException failure) {
                    throw failure;
                }
                throw new IOException(String.valueOf(e.getCause()), e.getCause());
            }
        }

        private Result query() throws SQLException {
            Set<InetAddress> named = lookUp();
            Connection open = connection;
            if (open != null && !named.isEmpty() && Collections.disjoint(named, hosts)) {
                drop(open);
                open = null;
            }
            boolean fresh = open == null;
            if (open == null) {
                open = source.getConnection();
                connection = open;
                hosts = named;
                open.setNetworkTimeout(Runnable::run, (int) RESPONSE.toMillis());
            }
            try {
                return JdbcPrimaryProbe.query(open);
            } catch (SQLException e) {
                drop(open);
                connection = null;
                if (fresh || ProbeFailure.of(e) == ProbeFailure.SILENT) {
                    throw e;
                }
                // The server may have been restarted, or have closed an idle connection.
                return query();
            } finally {
                if (left) {
                    drop(open);
                }
            }
        }

        private Set<InetAddress> lookUp() {
            try {
                return at.isUnix() ? Set.of() : Set.copyOf(names.lookup(at.host(), CONNECT));
            } catch (IOException e) {
                return Set.of(); // connecting fails for the same reason, and says so
            }
        }
    }

    private static Result query(Connection on) throws SQLException {
        return new ServerQueries(on)
                .rows(SQL, row -> {
                    String atLogin = row.getString(3);
                    // init_connect may change the mode, and runs for some accounts only.
                    boolean untouched = atLogin == null || atLogin.isBlank();
                    return new Result(
                            String.valueOf(row.getString(1)),
                            untouched ? row.getString(2) : null,
                            ServerQueries.isOn(row.getString(4)),
                            row.getString(5));
                })
                .get(0);
    }

    private static void drop(@Nullable Connection old) {
        if (old != null) {
            try {
                old.abort(Runnable::run);
            } catch (SQLException e) {
                // It is closed for the proxy.
            }
        }
    }
}
