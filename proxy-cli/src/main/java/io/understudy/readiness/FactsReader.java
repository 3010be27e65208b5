package io.understudy.readiness;

import io.understudy.pages.PagesGrants;
import io.understudy.pages.ServerQueries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the facts of one server, those that decide first. A missing privilege leaves one fact unknown. */
final class FactsReader {
    private static final int MOST_TRANSACTIONS = 100;
    private static final String APPLIER = "system user";

    private final ServerSession session;
    private final ServerFacts facts;
    private final String account;

    /** @param user the account of the session, for the statements that grant it more */
    FactsReader(ServerSession session, ServerFacts facts, String user) {
        this.session = session;
        this.facts = facts;
        this.account = PagesGrants.account(user);
    }

    /** A query for one fact. */
    private interface Query<T> {
        T run() throws SQLException;
    }

    /** Reads everything. Returns early when the connection fails or the time is up. */
    void read() {
        try {
            facts.variables(Known.of(session.pairs("SHOW GLOBAL VARIABLES")));
            facts.connected();
            facts.semiSync(Known.of(session.pairs("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync%'")));
            facts.channels(known(this::channels, grant(facts.isMariaDb() ? "SLAVE MONITOR" : "REPLICATION CLIENT")));
            processes();
            events();
            facts.tables(known(() -> new TableReader(session).read(), grant("PROCESS")));
            facts.accounts(known(
                    () -> new AccountReader(session, facts.isMariaDb()).read(),
                    "on the primary: GRANT SELECT ON mysql.* TO " + account));
        } catch (SQLException e) {
            if (!facts.responded() && session.isOver()) {
                facts.late();
            } else if (!facts.responded()) {
                facts.failed(String.valueOf(e.getMessage()), false);
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
            if (e.getErrorCode() == 0) {
                throw e;
            }
            return Known.unknown(String.valueOf(e.getMessage()), ServerQueries.denied(e) ? grant : "");
        }
    }

    private List<Channel> channels() throws SQLException {
        return session.rows(facts.isMariaDb() ? "SHOW ALL SLAVES STATUS" : "SHOW REPLICA STATUS").stream()
                .map(Channel::new)
                .filter(channel -> !channel.isOfGroup())
                .toList();
    }

    /** {@code information_schema} leaves out what the account may not see; MariaDB's own table does not. */
    private void events() throws SQLException {
        if (!facts.isMariaDb() && !new TableReader(session).hasEverywhere("EVENT")) {
            facts.events(Known.unknown("the account has no EVENT privilege", grant("EVENT")));
            return;
        }
        facts.events(known(
                () -> {
                    Map<String, String> states = new HashMap<>();
                    for (Map<String, String> row : session.rows(
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

    /** Recognises the applier's transactions by their user. */
    private void processes() throws SQLException {
        Known<List<Map<String, String>>> open = known(
                () -> session.rows("SELECT trx_mysql_thread_id AS id, trx_rows_modified AS changed,"
                        + " TIMESTAMPDIFF(SECOND, trx_started, NOW()) AS seconds FROM information_schema.INNODB_TRX"
                        + " ORDER BY trx_started LIMIT " + MOST_TRANSACTIONS),
                grant("PROCESS"));
        List<Map<String, String>> rows = open.value();
        if (rows == null) {
            facts.transactions(Known.unknown(open.reason(), open.statement()));
            return;
        }
        Map<String, String> users = new HashMap<>();
        List<SchemaChange> changes = new ArrayList<>();
        for (Map<String, String> process : session.rows("SHOW PROCESSLIST")) {
            String user = process.getOrDefault("user", "");
            users.put(process.getOrDefault("id", ""), user);
            if (SchemaChange.is(process)) {
                changes.add(SchemaChange.of(process, user.equalsIgnoreCase(APPLIER)));
            }
        }
        facts.schemaChanges(changes);
        facts.transactions(Known.of(rows.stream()
                .map(row -> new OpenTransaction(
                        Long.parseLong(row.getOrDefault("id", "0")),
                        users.getOrDefault(row.getOrDefault("id", ""), ""),
                        Long.parseLong(row.getOrDefault("seconds", "0")),
                        Long.parseLong(row.getOrDefault("changed", "0"))))
                .filter(transaction -> !transaction.user().equalsIgnoreCase(APPLIER))
                .toList()));
    }
}
