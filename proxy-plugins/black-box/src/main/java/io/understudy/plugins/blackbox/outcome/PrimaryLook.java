package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.PrimaryQueries;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What the present primary says of itself: of one run, and in this order, so that what a thread that is gone has
 * committed is in the position.
 *
 * @param earliestNanos monotonic time before which the server's run did not begin
 * @param latestNanos monotonic time before which it did
 * @param channels its replication connections, without those of group replication; null if the account may not see them
 * @param threads connection ids in use; null if the account may not see those of others
 * @param filter why its log may lack what it has committed; null if it does not
 * @param facts with the position
 * @param has all that it has
 * @param replicated MariaDB's {@code gtid_slave_pos}: the last number of each domain that replication brought
 */
record PrimaryLook(
        boolean readOnly,
        long earliestNanos,
        long latestNanos,
        @Nullable List<ReplicaStatus> channels,
        @Nullable Set<Long> threads,
        @Nullable String filter,
        PrimaryFacts facts,
        GtidNumbers has,
        Map<Long, Long> replicated) {
    /** MySQL before 8.2 does not know BINARY LOG STATUS. */
    private static final int ER_PARSE_ERROR = 1064;

    /** The server counts whole seconds from a whole second. */
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    static PrimaryLook of(DataSource source, PrimaryQueries queries, LongSupplier nanoClock) throws SQLException {
        try (ServerQueries server = ServerQueries.of(source)) {
            long before = nanoClock.getAsLong();
            long up = TimeUnit.SECONDS.toNanos(server.status("Uptime"));
            long after = nanoClock.getAsLong();
            String id = server.text("SELECT @@GLOBAL.server_id");
            List<ReplicaStatus> channels = channels(server);
            Set<Long> threads = threads(server);
            PrimaryFacts facts = queries.facts();
            String replicated =
                    facts.flavor() == ServerFlavor.MARIADB ? server.text("SELECT @@GLOBAL.gtid_slave_pos") : "";
            // Over the first connection again: the server has not been restarted meanwhile.
            boolean readOnly = server.isReadOnly();
            if (Long.parseUnsignedLong(id) != facts.serverId()) {
                throw new SQLException("the primary has changed while it was asked");
            }
            return new PrimaryLook(
                    readOnly,
                    before - up - SECOND,
                    after - up + SECOND,
                    channels,
                    threads,
                    filter(server, facts.flavor()),
                    facts,
                    has(facts, replicated),
                    MariaDbGtid.sequences(replicated));
        }
    }

    private static @Nullable List<ReplicaStatus> channels(ServerQueries server) throws SQLException {
        try {
            return ReplicaStatus.of(server).stream()
                    .filter(each -> !each.isOfGroup())
                    .toList();
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
            return null;
        }
    }

    private static @Nullable String filter(ServerQueries server, ServerFlavor flavor) throws SQLException {
        try {
            boolean filters = logStatus(server, flavor).stream() // the options have no variables
                    .anyMatch(row -> !row.getOrDefault("binlog_do_db", "").isEmpty()
                            || !row.getOrDefault("binlog_ignore_db", "").isEmpty());
            return filters ? "binlog-do-db or binlog-ignore-db keeps databases out of the binary log" : null;
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
            return "whether binlog-ignore-db keeps databases out of the binary log is not to be seen: GRANT"
                    + " REPLICATION CLIENT ON *.* to the account of primary.monitor";
        }
    }

    private static List<Map<String, String>> logStatus(ServerQueries server, ServerFlavor flavor) throws SQLException {
        try {
            return server.named(flavor == ServerFlavor.MARIADB ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS");
        } catch (SQLException e) {
            if (e.getErrorCode() != ER_PARSE_ERROR) {
                throw e;
            }
            return server.named("SHOW MASTER STATUS");
        }
    }

    private static @Nullable Set<Long> threads(ServerQueries server) throws SQLException {
        // A grant is not in force on a connection that is older, and the list then has fewer rows without a word.
        if (!isAllowed(server)) {
            return null;
        }
        return new HashSet<>(server.rows("SELECT ID FROM information_schema.PROCESSLIST", row -> row.getLong(1)));
    }

    /** Returns whether PROCESS is in force: the table asks for it, too. */
    private static boolean isAllowed(ServerQueries server) throws SQLException {
        try {
            return server.first("SELECT NAME FROM information_schema.INNODB_METRICS LIMIT 1") != null;
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
            return false;
        }
    }

    private static GtidNumbers has(PrimaryFacts facts, String replicated) {
        return facts.flavor() == ServerFlavor.MARIADB
                ? numbers(facts.position(), facts.logged(), replicated)
                : GtidNumbers.ofMySql(facts.position());
    }

    /** Returns what MariaDB's binary log has. */
    static GtidNumbers logged(PrimaryFacts facts) {
        return numbers(facts.position(), facts.logged());
    }

    private static GtidNumbers numbers(String... positions) {
        GtidNumbers all = new GtidNumbers();
        for (String position : positions) {
            for (MariaDbGtid each : MariaDbGtid.list(position)) {
                all.add(Traces.source(each), 1, each.sequence());
            }
        }
        return all;
    }

    ServerIdentity server() {
        return ServerIdentity.of(facts);
    }

    /** Returns whether it has a transaction, or all of MySQL's set of them. */
    boolean has(String gtid) {
        if (gtid.indexOf(':') >= 0) {
            return GtidNumbers.ofMySql(gtid).minus(has).isEmpty();
        }
        MariaDbGtid one = MariaDbGtid.parse(gtid);
        return has.contains(Traces.source(one), one.sequence());
    }

    /** Returns why it may still apply what another server wrote; null if it does not. */
    @Nullable
    String applies() {
        if (channels == null) {
            return "whether the primary still applies what another server wrote is not to be seen: GRANT "
                    + (facts.flavor() == ServerFlavor.MARIADB ? "SLAVE MONITOR" : "REPLICATION CLIENT")
                    + " ON *.* to the account of primary.monitor";
        }
        for (ReplicaStatus each : channels) {
            if (each.applies()) {
                return "the primary still applies what it has received of " + each.source();
            }
            String received = each.received();
            if (!received.isEmpty() && hasUnapplied(received)) {
                return "the primary has received transactions of " + each.source() + " and not applied them";
            }
        }
        return null;
    }

    private boolean hasUnapplied(String received) {
        if (facts.flavor() != ServerFlavor.MARIADB) {
            return !GtidNumbers.ofMySql(received).minus(has).isEmpty();
        }
        return MariaDbGtid.list(received).stream()
                .anyMatch(each -> !has.contains(Traces.source(each), each.sequence()));
    }
}
