package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** MariaDB's statements. */
public final class MariaDb implements Dialect {
    @Override
    public ServerFlavor flavor() {
        return ServerFlavor.MARIADB;
    }

    @Override
    public String product() {
        return "MariaDB";
    }

    @Override
    public String readOnly() {
        return "SET GLOBAL read_only=1";
    }

    @Override
    public String isReadOnly() {
        return "SELECT @@GLOBAL.read_only";
    }

    @Override
    public String writable() {
        return "SET GLOBAL read_only=0";
    }

    @Override
    public String position() {
        return "SELECT @@GLOBAL.gtid_binlog_pos";
    }

    @Override
    public String applied(String position, Duration longest) {
        return "SELECT MASTER_GTID_WAIT(" + Quoting.text(position) + ", " + Dialect.seconds(longest) + ")";
    }

    @Override
    public String limit(Duration longest) {
        return "max_statement_time = " + Dialect.seconds(longest);
    }

    @Override
    public String obstacle(ServerQueries server) throws SQLException {
        return server.text("SELECT @@GLOBAL.log_bin").equals("1") ? "" : "its binary log is off";
    }

    @Override
    public String stop(ReplicaStatus replication) {
        return "STOP SLAVE " + Quoting.text(replication.name());
    }

    @Override
    public String start(ReplicaStatus replication) {
        return "START SLAVE " + Quoting.text(replication.name());
    }

    @Override
    public String forget(ReplicaStatus replication) {
        return "RESET SLAVE " + Quoting.text(replication.name()) + " ALL";
    }

    @Override
    public List<String> repoint(String host, int port, ReplicaStatus like) {
        String name = Quoting.text(like.name());
        return List.of(
                stop(like),
                "CHANGE MASTER " + name + " TO MASTER_HOST=" + Quoting.text(host) + ", MASTER_PORT=" + port
                        + ", MASTER_USE_GTID=slave_pos",
                start(like));
    }

    @Override
    public List<String> follow(String host, int port, ReplicaStatus before, String position) {
        return List.of(
                "SET GLOBAL gtid_slave_pos=" + Quoting.text(position),
                "CHANGE MASTER TO MASTER_HOST=" + Quoting.text(host) + ", MASTER_PORT=" + port + ", MASTER_USER="
                        + Quoting.text(before.user()) + ", MASTER_PASSWORD='PASSWORD', MASTER_SSL="
                        + (before.isEncrypted() ? 1 : 0) + ", MASTER_USE_GTID=slave_pos",
                "START SLAVE");
    }
}
