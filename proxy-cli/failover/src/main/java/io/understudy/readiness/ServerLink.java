package io.understudy.readiness;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.connection.AccountRemedy;
import io.understudy.server.AccountHealth;
import io.understudy.server.QueryPool;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one server on a thread of its own, so that a server that hangs delays neither the other one nor the verdict.
 * Used by one thread.
 */
final class ServerLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerLink.class);

    /** Time that a response may take after the end of a wait in the server. */
    private static final long RESPONSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The server's own limit is that much later. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    /** A server that does not even let the gate log in for this long counts as away, however long the rest may take. */
    private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /**
     * An account to log in with.
     *
     * @param grantee the account that gets the privileges which it lacks: never one that may only read mirrored tables
     */
    record Login(String user, Secret password, String grantee) {}

    /** A reading in progress. */
    record Reading(ServerFacts facts, Future<?> done) {
        /** Waits for the reading's end or the deadline, and returns what has been read by then. */
        ServerFacts await(long deadline) throws InterruptedException {
            try {
                done.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                // What is missing is marked as late.
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause()); // fill stores all failures
            }
            return facts;
        }
    }

    private static final String MONITOR = "primary.monitor";

    private final boolean standby;
    private final Address address;
    private final ServerTlsConfig tls;
    private final Login login;
    private final ExecutorService thread;
    private volatile @Nullable Connection connection;

    /** @param role standby or primary */
    ServerLink(String role, Address address, ServerTlsConfig tls, Login login) {
        this.standby = role.equals("standby");
        this.address = address;
        this.tls = tls;
        this.login = login;
        thread = Executors.newSingleThreadExecutor(task -> {
            Thread created = new Thread(task, "readiness-" + role);
            created.setDaemon(true);
            return created;
        });
    }

    /**
     * Starts to read all facts, until the deadline.
     *
     * @param older facts whose definitions, if they were read, are taken for the present ones
     */
    Reading read(long deadline, ServerFacts older) {
        ServerFacts facts = new ServerFacts();
        return new Reading(facts, thread.submit(() -> fill(facts, older, deadline)));
    }

    private void fill(ServerFacts facts, ServerFacts older, long deadline) {
        try {
            Connection open = connection;
            if (open == null || open.isClosed()) {
                open = connect(Math.min(deadline, System.nanoTime() + CONNECT_NANOS));
                connection = open;
            }
            ServerQueries session = ServerQueries.until(deadline, open);
            // Results that do not depend on the server's settings; it ends what is still running after the deadline.
            Duration longest = GRACE.plusNanos(Math.max(0, deadline - System.nanoTime()));
            session.execute("SET SESSION sql_mode = '', group_concat_max_len = 1048576, "
                    + Dialect.of(session.flavor()).limit(longest));
            new FactsReader(session, facts, login.grantee()).read(older.get(ServerFacts.DEFINITIONS));
        } catch (SQLException e) {
            boolean refused = AccountHealth.refuses(e);
            String said = String.valueOf(e.getMessage());
            facts.failed((refused ? "'" + login.user() + "': " : "") + said, refused ? remedy(e, said) : "");
        } catch (RuntimeException | Error e) {
            LOG.warn("the readiness gate failed while it read {}", address, e);
            facts.fault(e);
        }
    }

    private String remedy(SQLException failure, String said) {
        int code = AccountHealth.code(failure);
        return standby
                ? AccountRemedy.ofStandby(code, said, login.user(), MONITOR)
                : "on the primary: " + AccountRemedy.of(code, said, login.user(), MONITOR);
    }

    private Connection connect(long deadline) throws SQLException {
        long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
        return QueryPool.connect(address, tls, login.user(), login.password(), Duration.ofMillis(left))
                .connection();
    }

    /**
     * Waits until this server, the standby, has applied what the primary had in a reading, or the deadline. Does not
     * wait if replication does not run or the server does not respond.
     */
    void awaitApplied(Situation.Round round, long deadline) throws InterruptedException {
        Connection open = connection;
        ReplicaStatus channel = Situation.fromPrimary(round);
        if (open == null || channel == null || !channel.applies() || !channel.receives()) {
            return;
        }
        String position = round.primary().ended();
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (position.isBlank() || millis <= 0) {
            return;
        }
        String sql = round.primary().dialect().applied(position, Duration.ofMillis(millis));
        Future<?> waiting = thread.submit(() -> {
            try {
                ServerQueries.until(deadline + RESPONSE_NANOS, open).named(sql);
            } catch (SQLException | RuntimeException e) {
                // The second reading says what there is.
            }
        });
        try {
            waiting.get(deadline + RESPONSE_NANOS - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // The second reading waits for the thread, and is marked as late.
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Closes the socket without waiting for the server, which may hang. */
    @Override
    public void close() {
        Connection open = connection;
        if (open != null) {
            try {
                open.abort(Runnable::run);
            } catch (SQLException e) {
                // It is closed already.
            }
        }
        thread.shutdownNow();
    }
}
