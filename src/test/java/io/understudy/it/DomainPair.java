package io.understudy.it;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** A primary and a standby that applies in parallel, with the accounts for the tests of {@code gtid-domain}. */
final class DomainPair implements AutoCloseable {
    static final String PASSWORD = "s3same-domain";

    private final EmbeddedPair pair;

    private DomainPair(EmbeddedPair pair) {
        this.pair = pair;
    }

    static DomainPair start() throws Exception {
        DomainPair started = new DomainPair(
                EmbeddedPair.start(PairOptions.defaults().withParallelThreads(8).withSemiSync(false)));
        started.account(
                "watch",
                "SELECT, TRIGGER, SHOW VIEW, PROCESS, REPLICATION SLAVE, REPLICA MONITOR, BINLOG MONITOR ON *.*");
        started.account("tagger", "ALL ON *.*");
        started.account("archiver", "ALL ON *.*");
        started.account("plain", "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, EXECUTE ON *.*");
        started.primary().execute("CREATE DATABASE dom");
        started.primary().execute("CREATE DATABASE tools");
        started.primary()
                .execute("CREATE DEFINER=root@localhost PROCEDURE tools.set_domain(d BIGINT) SQL SECURITY DEFINER"
                        + " SET SESSION gtid_domain_id=d");
        started.awaitCaughtUp();
        return started;
    }

    void account(String user, String grant) {
        pair.createAccount(user, PASSWORD, grant);
    }

    EmbeddedServer primary() {
        return pair.primary();
    }

    EmbeddedServer standby() {
        return pair.standby();
    }

    void awaitCaughtUp() {
        awaitCaughtUp(Duration.ofSeconds(20));
    }

    void awaitCaughtUp(Duration timeout) {
        pair.awaitCaughtUp(timeout);
    }

    /** @param section the plugin's section as YAML */
    DomainProxy proxy(String section) throws Exception {
        return proxy("watch", section);
    }

    DomainProxy proxy(String monitor, String section) throws Exception {
        return DomainProxy.start(this, monitor, section);
    }

    /** Connects without a proxy. */
    Connection direct(EmbeddedServer server) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + server.port() + "/?sslMode=disable&user=watch&password=" + PASSWORD);
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
