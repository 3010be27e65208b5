package io.understudy.demo.domains;

import io.understudy.demo.DemoProxy;
import io.understudy.demo.LagMeter;
import io.understudy.embedded.EmbeddedPair;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;

/** The lag of small writes in the default domain while a long ALTER runs through the proxy and then on the replica. */
final class LagExperiment {
    private static final Duration WRITE_EVERY = Duration.ofMillis(10);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Treatment of the ALTER by the proxy. */
    enum Lever {
        UNTOUCHED(
                "untouched",
                "off",
                "mode: advise\nrules: [ { name: alters, match: { kind: ddl }, alter: two-phase } ]"),
        TWO_PHASE(
                "alter: two-phase",
                "off",
                "mode: tag\nrules: [ { name: alters, match: { kind: ddl }, alter: two-phase } ]"),
        DOMAIN(
                "domain: 10",
                "pin",
                "mode: tag\nguard: pin\nlearn: 0s\npoll: 50ms\nrules: [ { name: schema-changes, match: { kind: ddl },"
                        + " domain: 10 } ]");

        final String title;
        /** The guard to wait for. */
        final String guard;
        /** The plugin's section. */
        final String section;

        Lever(String title, String guard, String section) {
            this.title = title;
            this.guard = guard;
            this.section = section;
        }
    }

    /**
     * The outcome.
     *
     * @param lag of the small writes
     * @param position of the primary at the end
     */
    record Result(LagMeter.Lag lag, String position) {}

    private final EmbeddedPair pair;
    private final Lever lever;

    LagExperiment(EmbeddedPair pair, Lever lever) {
        this.pair = pair;
        this.lever = lever;
    }

    /** Creates the big table and the small one, once for both runs. */
    static void prepare(EmbeddedPair pair, int rows) {
        pair.primary()
                .execute(
                        "CREATE DATABASE lag",
                        "CREATE TABLE lag.big (id INT PRIMARY KEY, a INT, b INT, pad CHAR(120) NOT NULL)",
                        "INSERT INTO lag.big SELECT seq, seq * 7919 % 1000003, seq * 104729 % 1000003, REPEAT('x', 120)"
                                + " FROM lag.seq_1_to_" + rows,
                        "CREATE TABLE lag.small (id INT PRIMARY KEY)");
        pair.createAccount("app", ConflictSchema.PASSWORD, "ALL ON lag.*", "BINLOG REPLAY ON *.*");
        pair.createAccount(
                "understudy",
                ConflictSchema.PASSWORD,
                "REPLICATION SLAVE, REPLICA MONITOR, BINLOG MONITOR, PROCESS, SHOW CREATE ROUTINE ON *.*",
                "SELECT, TRIGGER, SHOW VIEW, EVENT ON lag.*");
        pair.awaitCaughtUp(PATIENCE);
    }

    Result run() throws Exception {
        pair.primary().execute("TRUNCATE lag.small");
        pair.awaitCaughtUp(PATIENCE);
        try (DemoProxy proxy = ConflictRun.proxy(pair, lever.section)) {
            ConflictRun.awaitGuard(proxy, lever.guard);
            String url = proxy.url("lag") + "&useServerPrepStmts=false&user=app&password=" + ConflictSchema.PASSWORD;
            LagMeter.Lag lag;
            try (LagMeter meter = new LagMeter(pair, url, "small", WRITE_EVERY);
                    Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                // Proves before the measurement that the account may set the domain.
                statement.execute("INSERT INTO small VALUES (2000000000)");
                pair.awaitCaughtUp(PATIENCE);
                awaitFree(proxy, lever.guard);
                statement.execute("ALTER TABLE big FORCE, ADD KEY k" + lever.ordinal() + " (a, b), ALGORITHM=COPY");
                pair.awaitCaughtUp(PATIENCE);
                lag = meter.between(0, meter.mark());
            }
            return new Result(lag, pair.primary().query("SELECT @@global.gtid_binlog_pos"));
        }
    }

    /**
     * The guard must know that the standby has applied the earlier writes; otherwise it keeps the ALTER in their
     * domain.
     */
    private static void awaitFree(DemoProxy proxy, String guard) throws InterruptedException {
        Thread.sleep(500);
        ConflictRun.awaitGuard(proxy, guard);
    }
}
