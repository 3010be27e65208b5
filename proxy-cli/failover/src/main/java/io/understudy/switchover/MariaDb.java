package io.understudy.switchover;

import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** MariaDB's statements. */
final class MariaDb implements Dialect {
    static final List<String> NEEDED =
            List.of("READ_ONLY ADMIN", "REPLICATION SLAVE ADMIN", "SLAVE MONITOR", "RELOAD", "EVENT");

    /** For the source side of semi-synchronous replication. */
    private static final String SOURCE_ADMIN = "REPLICATION MASTER ADMIN";

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
    public List<Replication> replications(Node standby) throws SQLException {
        return standby.rows("SHOW ALL SLAVES STATUS").stream()
                .map(row -> new Replication(
                        row.getOrDefault("connection_name", ""),
                        Dialect.on(row, "slave_io_running"),
                        Dialect.on(row, "slave_sql_running"),
                        !"No".equalsIgnoreCase(row.getOrDefault("using_gtid", "No")),
                        row.getOrDefault("master_server_id", ""),
                        row.getOrDefault("master_user", ""),
                        Dialect.on(row, "master_ssl_allowed"),
                        false,
                        Dialect.error(row)))
                .toList();
    }

    @Override
    public String obstacle(Node node) throws SQLException {
        return node.value("SELECT @@GLOBAL.log_bin").equals("1") ? "" : "its binary log is off";
    }

    @Override
    public String grants(Node node) {
        return "SHOW GRANTS";
    }

    @Override
    public List<String> missing(Privileges privileges, Node node) throws SQLException {
        String version = node.value("SELECT VERSION()");
        List<String> missing = new ArrayList<>(missing(privileges, version));
        SemiSyncVariables semiSync = SemiSyncVariables.of(node);
        if (semiSync.isOn(semiSync.source()) && !has(privileges, SOURCE_ADMIN, version)) {
            missing.add(SOURCE_ADMIN);
        }
        if (!ScheduledEvent.enabled(node).isEmpty() && !has(privileges, "SET USER", version)) {
            missing.add("SET USER");
        }
        return missing;
    }

    private static boolean has(Privileges privileges, String name, String version) {
        return privileges.has(name) || privileges.has("SUPER") && isPartOfSuper(name, version);
    }

    static List<String> missing(Privileges privileges, String version) {
        return NEEDED.stream().filter(name -> !has(privileges, name, version)).toList();
    }

    /** SUPER lost READ_ONLY ADMIN in 10.11 (MDEV-29596), and the replication privileges in 11.0. */
    private static boolean isPartOfSuper(String privilege, String version) {
        return switch (privilege) {
            case "RELOAD", "EVENT" -> false;
            case "READ_ONLY ADMIN" -> version.matches("10\\.\\d\\D.*|10\\.10\\D.*");
            default -> version.startsWith("10.");
        };
    }

    @Override
    public String stop(Replication replication) {
        return "STOP SLAVE " + Quoting.text(replication.name());
    }

    @Override
    public String start(Replication replication) {
        return "START SLAVE " + Quoting.text(replication.name());
    }

    @Override
    public String forget(Replication replication) {
        return "RESET SLAVE " + Quoting.text(replication.name()) + " ALL";
    }

    @Override
    public List<String> repoint(String host, int port, Replication like) {
        String name = Quoting.text(like.name());
        return List.of(
                stop(like),
                "CHANGE MASTER " + name + " TO MASTER_HOST=" + Quoting.text(host) + ", MASTER_PORT=" + port
                        + ", MASTER_USE_GTID=slave_pos",
                start(like));
    }

    @Override
    public List<String> follow(String host, int port, Replication before, String position) {
        return List.of(
                "SET GLOBAL gtid_slave_pos=" + Quoting.text(position),
                "CHANGE MASTER TO MASTER_HOST=" + Quoting.text(host) + ", MASTER_PORT=" + port + ", MASTER_USER="
                        + Quoting.text(before.user()) + ", MASTER_PASSWORD='PASSWORD', MASTER_SSL="
                        + (before.encrypted() ? 1 : 0) + ", MASTER_USE_GTID=slave_pos",
                "START SLAVE");
    }
}
