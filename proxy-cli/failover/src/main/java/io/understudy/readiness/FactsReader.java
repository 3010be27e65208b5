package io.understudy.readiness;

import io.understudy.readiness.DefinitionsReader.Definitions;
import io.understudy.readiness.ServerFacts.FreeDisk;
import io.understudy.readiness.ServerFacts.OpenTransaction;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the facts of one server, those that decide first. A missing privilege leaves one fact unknown. */
final class FactsReader {
    static final int MOST_TRANSACTIONS = 100;
    private static final String APPLIER = "system user";

    private final ServerQueries session;
    private final ServerFacts facts;
    private final String account;
    /** Rows of open transactions that were read. */
    private int transactions;

    /** @param account for the statements that grant it more */
    FactsReader(ServerQueries session, ServerFacts facts, String account) {
        this.session = session;
        this.facts = facts;
        this.account = account;
    }

    /** A query for one fact. */
    private interface Query<T> {
        T run() throws SQLException;
    }

    /**
     * Reads everything. Returns early when the connection fails or the time is up.
     *
     * @param kept definitions that, if they were read, are taken for the present ones
     */
    void read(Known<Definitions> kept) {
        try {
            facts.put(ServerFacts.VARIABLES, Known.of(session.variables()));
            facts.put(ServerFacts.SEMI_SYNC, Known.of(session.pairs("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync%'")));
            facts.put(
                    ServerFacts.CHANNELS,
                    known(this::channels, grant(facts.isMariaDb() ? "SLAVE MONITOR" : "REPLICATION CLIENT")));
            processes();
            events();
            facts.put(ServerFacts.PREPARED, prepared());
            facts.put(ServerFacts.FREE_DISK, freeDisk());
            facts.put(
                    ServerFacts.ACCOUNTS,
                    known(
                            () -> new AccountReader(session, facts.isMariaDb()).read(),
                            "on the primary: GRANT SELECT ON mysql.* TO " + account));
            facts.put(
                    ServerFacts.DEFINITIONS,
                    kept.value() != null
                            ? kept
                            : known(
                                    () -> new DefinitionsReader(session, facts, this::grant, DefinitionsReader.MOST)
                                            .read(),
                                    ""));
            facts.put(
                    ServerFacts.POSITION, Known.of(session.text(facts.dialect().position())));
        } catch (SQLException e) {
            if (!facts.responded() && !session.isOver()) {
                facts.failed(String.valueOf(e.getMessage()), "");
            }
            // Later facts stay as they are: no response in time.
        }
    }

    private String grant(String privilege) {
        return "on the primary: GRANT " + privilege + " ON *.* TO " + account;
    }

    /** Lets failures of the connection through, which end the reading. */
    private <T> Known<T> known(Query<T> query, String grant) throws SQLException {
        try {
            return Known.of(query.run());
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
            return Known.unknown(String.valueOf(e.getMessage()), ServerQueries.denied(e) ? grant : "");
        }
    }

    private List<ReplicaStatus> channels() throws SQLException {
        return ReplicaStatus.of(session).stream()
                .filter(channel -> !channel.isOfGroup())
                .toList();
    }

    /** {@code information_schema} leaves out what the account may not see; MariaDB's own table does not. */
    private void events() throws SQLException {
        if (!facts.isMariaDb() && !session.ownPrivileges().contains("EVENT")) {
            facts.put(ServerFacts.EVENTS, Known.unknown("the account has no EVENT privilege", grant("EVENT")));
            return;
        }
        facts.put(
                ServerFacts.EVENTS,
                known(
                        () -> {
                            Map<String, String> states = new HashMap<>();
                            for (Map<String, String> row : session.named(
                                    facts.isMariaDb()
                                            ? "SELECT db AS s, name AS n, status AS v FROM mysql.event"
                                            : "SELECT EVENT_SCHEMA AS s, EVENT_NAME AS n, STATUS AS v"
                                                    + " FROM information_schema.EVENTS")) {
                                states.put(row.get("s") + "." + row.get("n"), row.getOrDefault("v", ""));
                            }
                            return states;
                        },
                        "on the primary: GRANT SELECT ON mysql.* TO " + account));
    }

    /** MySQL shows them with XA_RECOVER_ADMIN only, but as open transactions without a connection, too. */
    private Known<Set<String>> prepared() throws SQLException {
        Known<Set<String>> names = known(
                () -> {
                    Set<String> all = new TreeSet<>();
                    session.named("XA RECOVER").forEach(row -> all.add(row.getOrDefault("data", "")));
                    return all;
                },
                "");
        return names.value() != null
                ? names
                : unlisted(
                        names.reason(),
                        facts.get(ServerFacts.TRANSACTIONS).value(),
                        transactions,
                        grant("XA_RECOVER_ADMIN"));
    }

    /**
     * Returns what the open transactions tell of the prepared ones, which cannot be listed.
     *
     * @param open those that were read; null for unknown
     * @param read how many rows were read: at the limit there may be more
     */
    static Known<Set<String>> unlisted(
            String reason, @Nullable List<OpenTransaction> open, int read, String statement) {
        return open != null && read < MOST_TRANSACTIONS && open.stream().noneMatch(each -> each.connection() == 0)
                ? Known.of(Set.of())
                : Known.unknown(reason, statement);
    }

    /** MariaDB has a plugin for it; MySQL does not tell it. */
    private Known<FreeDisk> freeDisk() throws SQLException {
        if (!facts.isMariaDb()) {
            return Known.unknown("MySQL does not tell it", "");
        }
        FreeDisk longest = null;
        try {
            for (Map<String, String> row :
                    session.named("SELECT Path AS p, Total AS t, Available AS a FROM information_schema.DISKS")) {
                FreeDisk disk = new FreeDisk(
                        row.getOrDefault("p", ""),
                        Long.parseLong(row.getOrDefault("a", "0")) << 10,
                        Long.parseLong(row.getOrDefault("t", "0")) << 10);
                if (disk.holds(facts.variable("datadir"))
                        && (longest == null
                                || disk.path().length() > longest.path().length())) {
                    longest = disk;
                }
            }
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
        }
        return longest == null
                ? Known.unknown("it needs the plugin DISKS and the privilege FILE", "")
                : Known.of(longest);
    }

    /** Recognises the applier's transactions by their user. */
    private void processes() throws SQLException {
        Known<List<Map<String, String>>> open = known(
                () -> session.named("SELECT trx_mysql_thread_id AS id, trx_rows_modified AS changed,"
                        + " TIMESTAMPDIFF(SECOND, trx_started, NOW()) AS seconds FROM information_schema.INNODB_TRX"
                        + " ORDER BY trx_started LIMIT " + MOST_TRANSACTIONS),
                grant("PROCESS"));
        List<Map<String, String>> rows = open.value();
        if (rows == null) {
            facts.put(ServerFacts.TRANSACTIONS, Known.unknown(open.reason(), open.statement()));
            return;
        }
        transactions = rows.size();
        Map<String, String> users = new HashMap<>();
        List<SchemaChange> changes = new ArrayList<>();
        for (Map<String, String> process : session.named("SHOW PROCESSLIST")) {
            String user = process.getOrDefault("user", "");
            users.put(process.getOrDefault("id", ""), user);
            if (SchemaChange.is(process)) {
                changes.add(SchemaChange.of(process, user.equalsIgnoreCase(APPLIER)));
            }
        }
        facts.put(ServerFacts.SCHEMA_CHANGES, Known.of(changes));
        facts.put(
                ServerFacts.TRANSACTIONS,
                Known.of(rows.stream()
                        .map(row -> new OpenTransaction(
                                Long.parseLong(row.getOrDefault("id", "0")),
                                users.getOrDefault(row.getOrDefault("id", ""), ""),
                                Long.parseLong(row.getOrDefault("seconds", "0")),
                                Long.parseLong(row.getOrDefault("changed", "0"))))
                        .filter(transaction -> !transaction.user().equalsIgnoreCase(APPLIER))
                        .toList()));
    }
}
