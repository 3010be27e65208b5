package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** MySQL's statements, as of 8.0.23. */
public final class MySql implements Dialect {
    @Override
    public ServerFlavor flavor() {
        return ServerFlavor.MYSQL;
    }

    @Override
    public String product() {
        return "MySQL";
    }

    /** Sets read_only too. */
    @Override
    public String readOnly() {
        return "SET GLOBAL super_read_only=1";
    }

    @Override
    public String isReadOnly() {
        return "SELECT @@GLOBAL.super_read_only";
    }

    /** Clears super_read_only too. */
    @Override
    public String writable() {
        return "SET GLOBAL read_only=0";
    }

    @Override
    public String position() {
        return "SELECT REPLACE(@@GLOBAL.gtid_executed, '\n', '')";
    }

    @Override
    public String applied(String position, Duration longest) {
        return "SELECT WAIT_FOR_EXECUTED_GTID_SET(" + Quoting.text(position) + ", " + Dialect.seconds(longest) + ")";
    }

    @Override
    public String limit(Duration longest) {
        return "max_execution_time = " + Math.max(1, longest.toMillis());
    }

    @Override
    public String obstacle(ServerQueries server) throws SQLException {
        if (!server.text("SELECT @@GLOBAL.log_bin").equals("1")) {
            return "its binary log is off";
        }
        return server.text("SELECT @@GLOBAL.gtid_mode").equals("ON") ? "" : "gtid_mode is not ON";
    }

    @Override
    public String stop(ReplicaStatus replication) {
        return "STOP REPLICA FOR CHANNEL " + Quoting.text(replication.name());
    }

    @Override
    public String start(ReplicaStatus replication) {
        return "START REPLICA FOR CHANNEL " + Quoting.text(replication.name());
    }

    @Override
    public String forget(ReplicaStatus replication) {
        return "RESET REPLICA ALL FOR CHANNEL " + Quoting.text(replication.name());
    }

    @Override
    public List<String> repoint(String host, int port, ReplicaStatus like) {
        return List.of(
                stop(like),
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST=" + Quoting.text(host) + ", SOURCE_PORT=" + port
                        + ", SOURCE_AUTO_POSITION=1 FOR CHANNEL " + Quoting.text(like.name()),
                start(like));
    }

    @Override
    public List<String> follow(String host, int port, ReplicaStatus before, String position) {
        return List.of(
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST=" + Quoting.text(host) + ", SOURCE_PORT=" + port
                        + ", SOURCE_USER=" + Quoting.text(before.user())
                        + ", SOURCE_PASSWORD='PASSWORD'"
                        + (before.isEncrypted() ? ", SOURCE_SSL=1" : "")
                        + (before.fetchesKey() ? ", GET_SOURCE_PUBLIC_KEY=1" : "") + ", SOURCE_AUTO_POSITION=1",
                "START REPLICA");
    }
}
