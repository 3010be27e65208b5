package io.understudy.demo.failover;

import io.understudy.demo.DemoProxy;
import io.understudy.embedded.DelayedLink;
import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/** The two servers: the first is the primary at first, the second one between the planned change and the kill. */
final class FailoverServers implements AutoCloseable {
    static final String FIRST = "server-1";
    static final String SECOND = "server-2";
    static final String PLANNED = "demo.planned";
    static final String UNPLANNED = "demo.unplanned";
    static final String AFTER = "demo.after";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A server by the order in which they are the primary. */
    enum Primary {
        FIRST,
        SECOND
    }

    private final EmbeddedPair pair;
    /** From the first server to the second, once that is the primary. */
    private final DelayedLink link;

    private FailoverServers(EmbeddedPair pair) {
        this.pair = pair;
        link = DelayedLink.to(pair.standby().address(), Duration.ZERO);
    }

    static FailoverServers prepare(EmbeddedPair pair, String password) {
        pair.primary().execute("CREATE DATABASE demo");
        for (String table : new String[] {PLANNED, UNPLANNED, AFTER}) {
            pair.primary()
                    .execute("CREATE TABLE " + table
                            + " (w INT NOT NULL, n INT NOT NULL, filler VARCHAR(60), PRIMARY KEY (w, n))");
        }
        pair.createAccount("app", password, "ALL ON demo.*");
        pair.createAccount(
                "understudy", password, "SELECT, SHOW VIEW, TRIGGER, REPLICATION SLAVE, SLAVE MONITOR, PROCESS ON *.*");
        pair.createAccount(
                "switcher", password, "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT ON *.*");
        pair.awaitCaughtUp(PATIENCE);
        return new FailoverServers(pair);
    }

    /** Starts the proxy with the black box before two candidates, each of which is known as a standby too. */
    DemoProxy proxy(String password) throws Exception {
        return DemoProxy.startReachable("demo failover", password, """
                primary:
                  candidates: ["127.0.0.1:%1$d", "127.0.0.1:%2$d"]
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %3$s }
                standbys:
                  - { name: %4$s, address: "127.0.0.1:%1$d", tls: { mode: disabled }, user: understudy, password: %3$s }
                  - { name: %5$s, address: "127.0.0.1:%2$d", tls: { mode: disabled }, user: understudy, password: %3$s }
                switchover: { user: switcher, password: %3$s }
                plugins: { black-box: { poll: 100ms } }
                """.formatted(
                        pair.primary().port(), pair.standby().port(), password, FIRST, SECOND));
    }

    EmbeddedServer of(Primary which) {
        return which == Primary.FIRST ? pair.primary() : pair.standby();
    }

    /** Makes the first server, whose last transaction the second has, its standby. */
    void replicateBack() {
        EmbeddedServer first = pair.primary();
        first.execute(
                "SET GLOBAL gtid_slave_pos='" + first.query("SELECT @@GLOBAL.gtid_binlog_pos") + "'",
                "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" + link.port()
                        + ", MASTER_USER='repl', MASTER_PASSWORD='repl', MASTER_USE_GTID=slave_pos,"
                        + " MASTER_CONNECT_RETRY=1, MASTER_SSL=0",
                "START SLAVE");
        String goal = pair.standby().query("SELECT @@GLOBAL.gtid_binlog_pos");
        if (!first.query("SELECT MASTER_GTID_WAIT('" + goal + "', " + PATIENCE.toSeconds() + ")")
                .equals("0")) {
            throw new EmbeddedException("the old primary does not catch up with the new one");
        }
    }

    void cutOff() {
        link.refuse();
        link.cut();
    }

    /** Kills the second server. */
    void kill() {
        pair.standby().kill();
    }

    /** Waits until the first server has applied what it received. */
    void awaitApplied() throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!pair.primary()
                .replication()
                .getOrDefault("gtid_io_pos", "")
                .equals(pair.primary().query("SELECT @@GLOBAL.gtid_slave_pos"))) {
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedException("the survivor does not apply what it received");
            }
            Thread.sleep(20);
        }
    }

    void stopReplication() {
        pair.primary().execute("STOP SLAVE");
    }

    /** Makes the first server writable. */
    void promote() {
        pair.primary().execute("STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only=0");
    }

    /** Starts the second server again; its options make it read-only. */
    void reviveKilled() {
        pair.standby().restart();
    }

    /** Returns the rows of a table on a server. */
    Set<String> rows(Primary which, String table) {
        return of(which).rows("SELECT CONCAT(w, '-', n) AS row FROM " + table).stream()
                .map(row -> row.getOrDefault("row", ""))
                .collect(Collectors.toSet());
    }

    /** Returns the checksum of the table that was written to when the primary died. */
    String checksum(Primary which) {
        return of(which).rows("CHECKSUM TABLE " + UNPLANNED).get(0).getOrDefault("checksum", "");
    }

    @Override
    public void close() {
        link.close();
    }
}
