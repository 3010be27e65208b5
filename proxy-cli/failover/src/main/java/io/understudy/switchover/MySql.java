package io.understudy.switchover;

import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** MySQL's statements, as of 8.0.23. */
final class MySql implements Dialect {
    static final List<String> NEEDED =
            List.of("SYSTEM_VARIABLES_ADMIN", "REPLICATION_SLAVE_ADMIN", "REPLICATION CLIENT", "RELOAD", "EVENT");

    /** Not a part of SUPER. An event whose definer has it can be altered by accounts alone that have it, too. */
    private static final String SYSTEM_USER = "SYSTEM_USER";

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
    public List<Replication> replications(Node standby) throws SQLException {
        return standby.rows("SHOW REPLICA STATUS").stream()
                .map(row -> new Replication(
                        row.getOrDefault("channel_name", ""),
                        Dialect.on(row, "replica_io_running"),
                        Dialect.on(row, "replica_sql_running"),
                        row.getOrDefault("auto_position", "0").equals("1"),
                        row.getOrDefault("source_server_id", ""),
                        row.getOrDefault("source_user", ""),
                        Dialect.on(row, "source_ssl_allowed"),
                        row.getOrDefault("get_source_public_key", "0").equals("1"),
                        Dialect.error(row)))
                .toList();
    }

    @Override
    public String obstacle(Node node) throws SQLException {
        if (!node.value("SELECT @@GLOBAL.log_bin").equals("1")) {
            return "its binary log is off";
        }
        return node.value("SELECT @@GLOBAL.gtid_mode").equals("ON") ? "" : "gtid_mode is not ON";
    }

    @Override
    public String grants(Node node) throws SQLException {
        String roles = node.value("SELECT CURRENT_ROLE()");
        return roles.isEmpty() || roles.equalsIgnoreCase("NONE")
                ? "SHOW GRANTS"
                : "SHOW GRANTS FOR CURRENT_USER() USING " + roles;
    }

    @Override
    public List<String> missing(Privileges privileges, Node node) throws SQLException {
        List<String> missing = new ArrayList<>(NEEDED);
        if (!ScheduledEvent.enabled(node).isEmpty() && !privileges.has("SET_USER_ID")) { // its name before 8.2
            missing.add("SET_ANY_DEFINER");
        }
        missing.removeIf(privileges::has);
        if (!privileges.has(SYSTEM_USER) && isForDefiner(node)) {
            missing.add(SYSTEM_USER);
        }
        missing.removeIf(name -> privileges.has("SUPER")
                && !name.equals(SYSTEM_USER)
                && !name.equals("RELOAD")
                && !name.equals("EVENT"));
        return missing;
    }

    /**
     * The privileges of other accounts are not to be read. The server checks the definer before it looks for the event,
     * and changes nothing. A standby executes none; its accounts are the primary's.
     */
    private static boolean isForDefiner(Node node) throws SQLException {
        for (ScheduledEvent event : ScheduledEvent.enabled(node)) {
            try {
                node.execute(event.named("understudy_no_such_event").alter("COMMENT ''"));
            } catch (SQLException e) {
                if (String.valueOf(e.getMessage()).contains("the " + SYSTEM_USER + " privilege")) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public String stop(Replication replication) {
        return "STOP REPLICA FOR CHANNEL " + Quoting.text(replication.name());
    }

    @Override
    public String start(Replication replication) {
        return "START REPLICA FOR CHANNEL " + Quoting.text(replication.name());
    }

    @Override
    public String forget(Replication replication) {
        return "RESET REPLICA ALL FOR CHANNEL " + Quoting.text(replication.name());
    }

    @Override
    public List<String> repoint(String host, int port, Replication like) {
        return List.of(
                stop(like),
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST=" + Quoting.text(host) + ", SOURCE_PORT=" + port
                        + ", SOURCE_AUTO_POSITION=1 FOR CHANNEL " + Quoting.text(like.name()),
                start(like));
    }

    @Override
    public List<String> follow(String host, int port, Replication before, String position) {
        return List.of(
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST=" + Quoting.text(host) + ", SOURCE_PORT=" + port
                        + ", SOURCE_USER=" + Quoting.text(before.user())
                        + ", SOURCE_PASSWORD='PASSWORD'"
                        + (before.encrypted() ? ", SOURCE_SSL=1" : "")
                        + (before.fetchesKey() ? ", GET_SOURCE_PUBLIC_KEY=1" : "") + ", SOURCE_AUTO_POSITION=1",
                "START REPLICA");
    }
}
