package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The statements of one product for roles and replication; MySQL's as of 8.0.23. Stateless. */
public record Dialect(ServerFlavor flavor) {
    /**
     * The statements after which a session cannot write, whatever a statement turns out to be, and waits for no lock.
     * {@code START TRANSACTION READ ONLY} would let DDL through, by its implicit commit.
     */
    public static final List<String> READ_ONLY_SESSION = List.of(
            "SET SESSION TRANSACTION READ ONLY",
            "SET SESSION autocommit = 1, SESSION lock_wait_timeout = 1, SESSION innodb_lock_wait_timeout = 1");

    public static Dialect of(ServerFlavor flavor) {
        return new Dialect(flavor);
    }

    private boolean mariaDb() {
        return flavor == ServerFlavor.MARIADB;
    }

    /** Returns the product's name, for people. */
    public String product() {
        return mariaDb() ? "MariaDB" : "MySQL";
    }

    /** Returns the statement that makes a server read-only; MySQL's sets read_only too. */
    public String readOnly() {
        return mariaDb() ? "SET GLOBAL read_only=1" : "SET GLOBAL super_read_only=1";
    }

    /** Returns a query for the variable that {@link #readOnly} sets. */
    public String isReadOnly() {
        return mariaDb() ? "SELECT @@GLOBAL.read_only" : "SELECT @@GLOBAL.super_read_only";
    }

    /** Returns the statement that makes a server writable; on MySQL it clears super_read_only too. */
    public String writable() {
        return "SET GLOBAL read_only=0";
    }

    /** Returns a query for the position of the last transaction in a primary's binary log. */
    public String position() {
        return mariaDb() ? "SELECT @@GLOBAL.gtid_binlog_pos" : "SELECT REPLACE(@@GLOBAL.gtid_executed, '\n', '')";
    }

    /** Returns a query that waits until a position is applied; its result is 0 if it is. At least a millisecond. */
    public String applied(String position, Duration longest) {
        return "SELECT " + (mariaDb() ? "MASTER_GTID_WAIT(" : "WAIT_FOR_EXECUTED_GTID_SET(") + Quoting.text(position)
                + ", " + seconds(longest) + ")";
    }

    /**
     * Returns the assignment, for SET SESSION, by which the server ends the session's later statements after a time;
     * MySQL ends SELECT statements alone. At least a millisecond.
     */
    public String limit(Duration longest) {
        return mariaDb()
                ? "max_statement_time = " + seconds(longest)
                : "max_execution_time = " + Math.max(1, longest.toMillis());
    }

    /** Returns why the server cannot be switched by GTID; empty if it can. */
    public String obstacle(ServerQueries server) throws SQLException {
        if (!server.text("SELECT @@GLOBAL.log_bin").equals("1")) {
            return "its binary log is off";
        }
        return mariaDb() || server.text("SELECT @@GLOBAL.gtid_mode").equals("ON") ? "" : "gtid_mode is not ON";
    }

    public String stop(ReplicaStatus replication) {
        return replica("STOP", replication, "");
    }

    public String start(ReplicaStatus replication) {
        return replica("START", replication, "");
    }

    /** Returns the statement that removes the connection. */
    public String forget(ReplicaStatus replication) {
        return replica("RESET", replication, " ALL");
    }

    /** MariaDB names the connection first, MySQL last. */
    private String replica(String verb, ReplicaStatus replication, String what) {
        String name = Quoting.text(replication.name());
        return mariaDb() ? verb + " SLAVE " + name + what : verb + " REPLICA" + what + " FOR CHANNEL " + name;
    }

    /** Returns the statements that make the old primary a standby of the new one. */
    public List<String> follow(String host, int port, ReplicaStatus before, String position) {
        if (mariaDb()) {
            return List.of(
                    "SET GLOBAL gtid_slave_pos=" + Quoting.text(position),
                    "CHANGE MASTER TO MASTER_HOST=" + Quoting.text(host) + ", MASTER_PORT=" + port + ", MASTER_USER="
                            + Quoting.text(before.user()) + ", MASTER_PASSWORD='PASSWORD', MASTER_SSL="
                            + (before.isEncrypted() ? 1 : 0) + ", MASTER_USE_GTID=slave_pos",
                    "START SLAVE");
        }
        return List.of(
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST=" + Quoting.text(host) + ", SOURCE_PORT=" + port
                        + ", SOURCE_USER=" + Quoting.text(before.user())
                        + ", SOURCE_PASSWORD='PASSWORD'"
                        + (before.isEncrypted() ? ", SOURCE_SSL=1" : "")
                        + (before.fetchesKey() ? ", GET_SOURCE_PUBLIC_KEY=1" : "") + ", SOURCE_AUTO_POSITION=1",
                "START REPLICA");
    }

    /** Returns the statements that point another standby of the old primary to the new one. */
    public List<String> repoint(String host, int port, ReplicaStatus like) {
        String name = Quoting.text(like.name());
        return List.of(
                stop(like),
                mariaDb()
                        ? "CHANGE MASTER " + name + " TO MASTER_HOST=" + Quoting.text(host) + ", MASTER_PORT=" + port
                                + ", MASTER_USE_GTID=slave_pos"
                        : "CHANGE REPLICATION SOURCE TO SOURCE_HOST=" + Quoting.text(host) + ", SOURCE_PORT=" + port
                                + ", SOURCE_AUTO_POSITION=1 FOR CHANNEL " + name,
                start(like));
    }

    /** Returns a time of a wait in seconds, as both products take it. */
    private static String seconds(Duration time) {
        // MySQL reads 0 as no limit.
        return String.format(Locale.ROOT, "%.3f", Math.max(1, time.toMillis()) / 1000.0);
    }
}
