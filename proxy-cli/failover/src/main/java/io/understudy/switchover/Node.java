package io.understudy.switchover;

import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.plugin.ServerFlavor;
import io.understudy.server.DriverSource;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.SemiSyncVariables;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One of the two servers, with one connection that is opened again after it broke. Used by one thread.
 *
 * <p>A server that was frozen may respond to a new connection before it executes what a former one has sent. A step
 * that undoes a statement, or reads its effect, first has to end the former connections: see {@link #endFormer}.
 */
public final class Node implements AutoCloseable {
    private static final String CONNECTION = "SELECT CONNECTION_ID()";
    /** Of a KILL: it has ended. */
    private static final int NO_SUCH_THREAD = 1094;
    /** Of a KILL, for want of CONNECTION ADMIN. */
    private static final int NOT_OWNER = 1095;

    /** A connection's response takes at most this long in addition to what the statement may wait. */
    static final Duration RESPONSE = Duration.ofSeconds(3);

    private final String name;
    private final DataSource source;
    private @Nullable Connection connection;
    private @Nullable ServerFlavor flavor;
    /** {@link #connection} as the server knows it; null until that is known. */
    private @Nullable Known known;
    /** Connections that broke, and that the server may still have. */
    private final Set<Known> former = new LinkedHashSet<>();

    /**
     * A connection as the server knows it. After a restart its number may be another one's, but not with the same
     * client's port.
     */
    private record Known(String number, String user, String host) {
        static Known of(Map<String, String> row) {
            return new Known(row.getOrDefault("id", ""), row.getOrDefault("user", ""), row.getOrDefault("host", ""));
        }
    }

    /**
     * Creates it without a connection.
     *
     * @param name of the server in what is printed
     */
    public Node(String name, DataSource source) {
        this.name = name;
        this.source = source;
    }

    /** As above, for a server that the account logs in to. */
    public static Node of(
            String name, Address address, ServerTlsConfig tls, Duration connectTimeout, SwitchoverConfig account) {
        return new Node(name, new DriverSource(address, tls, account.user(), account.password(), connectTimeout));
    }

    /** As above, for a standby. */
    public static Node of(StandbyConfig standby, SwitchoverConfig account) {
        return of(standby.name(), standby.address(), standby.tls(), standby.connectTimeout(), account);
    }

    public String name() {
        return name;
    }

    /** Executes a statement that returns no rows. */
    public void execute(String sql) throws SQLException {
        executeWithin(sql, RESPONSE);
    }

    /**
     * As {@link #execute}, with a time limit.
     *
     * @param longest for the response, however long the statement may wait
     */
    public void executeWithin(String sql, Duration longest) throws SQLException {
        on(sql, longest, server -> {
            server.execute(sql);
            return sql;
        });
    }

    /** Returns the first column of the first row; empty if there is none or it is NULL. */
    public String value(String sql) throws SQLException {
        return valueWithin(sql, RESPONSE);
    }

    /**
     * As {@link #value}, with a time limit.
     *
     * @param longest for the response, however long the statement may wait
     */
    public String valueWithin(String sql, Duration longest) throws SQLException {
        return on(sql, longest, server -> server.text(sql));
    }

    /** What is asked of a server over one connection. */
    public interface Work<T> {
        T with(ServerQueries server) throws SQLException;
    }

    /**
     * Asks something over the connection.
     *
     * @param what is asked, for the message of a failure
     */
    public <T> T ask(String what, Work<T> work) throws SQLException {
        return on(what, RESPONSE, work);
    }

    /** Returns the standby's replication connections. */
    public List<ReplicaStatus> replications(Dialect dialect) throws SQLException {
        String status = dialect.flavor() == ServerFlavor.MARIADB ? "SHOW ALL SLAVES STATUS" : "SHOW REPLICA STATUS";
        return ask(status, server -> ReplicaStatus.of(server, dialect.flavor()));
    }

    public ServerFlavor flavor() throws SQLException {
        ServerFlavor product = flavor;
        if (product == null) {
            product = ask("SELECT VERSION()", ServerQueries::flavor);
            flavor = product;
        }
        return product;
    }

    public SemiSyncVariables semiSync() throws SQLException {
        return ask(SemiSyncVariables.QUERY, SemiSyncVariables::of);
    }

    public String serverId() throws SQLException {
        return value("SELECT @@GLOBAL.server_id");
    }

    /** Returns whether the server refuses writes of ordinary accounts. */
    public boolean readOnly() throws SQLException {
        return ask("SELECT @@GLOBAL.read_only", ServerQueries::isReadOnly);
    }

    /** Returns the number of the present connection, which {@link #endFormer} ends if it breaks. */
    public String traced() throws SQLException {
        Known present = known;
        if (present == null) {
            String number = value(CONNECTION);
            present = processes().stream()
                    .filter(each -> each.number().equals(number))
                    .findFirst()
                    .orElse(new Known(number, "", ""));
            known = present;
        }
        return present.number();
    }

    private List<Known> processes() throws SQLException {
        return ask("SHOW PROCESSLIST", server -> server.named("SHOW PROCESSLIST")).stream()
                .map(Known::of)
                .toList();
    }

    /**
     * Kills the connections that broke after {@link #traced}, and returns the number of one that the server still has;
     * empty if there is none: then the server has executed their statements, or will not.
     */
    public String endFormer() throws SQLException {
        if (former.isEmpty()) {
            return "";
        }
        former.retainAll(new HashSet<>(processes()));
        for (Known each : List.copyOf(former)) {
            try {
                execute("KILL " + each.number());
            } catch (SQLException e) {
                if (e.getErrorCode() != NO_SUCH_THREAD) {
                    throw e;
                }
                former.remove(each); // it has ended meanwhile
            }
        }
        return former.isEmpty() ? "" : former.iterator().next().number();
    }

    /** As {@link #endFormer}, but fails while the server has such a connection; the message says how to end it. */
    public void ensureFormerEnded() throws SQLException {
        String left = endFormer();
        if (!left.isEmpty()) {
            throw new SQLException(name + " still has the connection of a statement that it did not respond to: KILL "
                    + left + ", until SHOW PROCESSLIST has that connection no more");
        }
    }

    /**
     * Ends what sessions wait for, where the account may. Those of other accounts are seen with PROCESS alone.
     *
     * @param verb KILL, or KILL QUERY
     * @param state begin of the state that the server tells of them
     * @return whether none is left of those that it sees
     */
    public boolean kill(String verb, String state) throws SQLException {
        boolean all = true;
        for (Map<String, String> each : ask("SHOW PROCESSLIST", server -> server.named("SHOW PROCESSLIST"))) {
            if (each.getOrDefault("state", "").startsWith(state)) {
                try {
                    execute(verb + " " + each.get("id"));
                } catch (SQLException e) {
                    if (e.getErrorCode() != NO_SUCH_THREAD && e.getErrorCode() != NOT_OWNER) {
                        throw e;
                    }
                    all &= e.getErrorCode() == NO_SUCH_THREAD;
                }
            }
        }
        return all;
    }

    private <T> T on(String sql, Duration longest, Work<T> work) throws SQLException {
        try {
            Connection open = connection;
            if (open == null) {
                open = source.getConnection();
                connection = open;
                known = null;
                // Else a server with a short wait_timeout ends it while others work: with it go its locks.
                new ServerQueries(open).within(longest).execute("SET SESSION wait_timeout=86400");
            }
            return work.with(new ServerQueries(open).within(longest));
        } catch (SQLException e) {
            if (e.getErrorCode() == 0 || String.valueOf(e.getSQLState()).startsWith("08")) {
                if (known != null) {
                    former.add(known);
                }
                close();
            }
            throw new SQLException(name + ": " + sql + ": " + e.getMessage(), e.getSQLState(), e.getErrorCode(), e);
        }
    }

    @Override
    public void close() {
        Connection open = connection;
        connection = null;
        known = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                // It is broken already.
                return;
            }
        }
    }
}
