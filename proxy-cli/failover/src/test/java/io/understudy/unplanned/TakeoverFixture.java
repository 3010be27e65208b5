package io.understudy.unplanned;

import io.understudy.config.Address;
import io.understudy.lost.LostSource;
import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;
import io.understudy.switchover.Node;
import io.understudy.switchover.Pair;
import io.understudy.switchover.ScriptedServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A MariaDB standby that says what a test sets, and whose replication a statement stops. */
final class TakeoverFixture implements ScriptedServer.Script {
    String readOnly = "1";
    String replicated = "0-1-5";
    /** Null: what it has replicated. */
    @Nullable
    String logged;

    /** Whether its positions cannot be queried. */
    boolean broken;

    String server = "2";
    String receiver = "Yes";
    String applier = "Yes";
    String byGtid = "Slave_Pos";
    /** Null: the status cannot be queried. */
    @Nullable
    String received = "0-1-5";
    /** What it receives until its receiver is stopped, and its applier applies; empty for nothing more. */
    String arriving = "";
    /** Columns of the status that name the source. */
    final Map<String, String> source = new LinkedHashMap<>();
    /** Bytes that the applier has executed, of 900 that the receiver has read. */
    String appliedUpTo = "900";
    /** Variables of semi-synchronous replication, by name. */
    final Map<String, String> variables = new LinkedHashMap<>();
    /** Statements that set something. */
    final List<String> executed = new ArrayList<>();
    /** States of sessions that keep the server from becoming read-only, by number. */
    final Map<String, String> waiting = new LinkedHashMap<>();

    final List<String> killed = new ArrayList<>();
    /** A statement for which the account lacks a privilege. */
    String refused = "";
    /** What the old primary's address leads to. */
    ScriptedServer.Script primary = (connection, sql) -> Map.of();

    boolean fenced;
    /** Standbys and proxies that are given up. */
    Set<String> without = Set.of();
    /** Whether nobody else has the lock of a failover; else connection 7 has it. */
    boolean locks = true;

    @Override
    public List<Map<String, String>> rows(int connection, String sql) throws SQLException {
        if (sql.equals("SHOW PROCESSLIST")) {
            List<Map<String, String>> sessions = new ArrayList<>();
            waiting.forEach((id, state) -> sessions.add(row("Id", id, "State", state)));
            return sessions;
        }
        if (!sql.startsWith("SHOW GLOBAL VARIABLES")) {
            return ScriptedServer.Script.super.rows(connection, sql);
        }
        List<Map<String, String>> rows = new ArrayList<>();
        variables.forEach((name, value) -> rows.add(row("Variable_name", name, "Value", value)));
        return rows;
    }

    private static Map<String, String> row(String first, String itsValue, String second, String value) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put(first, itsValue);
        row.put(second, value);
        return row;
    }

    @Override
    public Map<String, String> row(int connection, String sql) throws SQLException {
        if (sql.startsWith("SELECT @@global.gtid_slave_pos")) {
            if (broken) {
                throw new SQLException("broken");
            }
            Map<String, String> row = new LinkedHashMap<>();
            row.put("replicated", replicated);
            row.put("logged", logged == null ? replicated : logged);
            row.put("read_only", readOnly);
            row.put("server", server);
            return row;
        }
        if (sql.equals(refused)) {
            throw new SQLException("Access denied", "42000", 1227);
        }
        if (sql.startsWith("KILL ")) {
            killed.add(sql);
            waiting.remove(sql.substring(5));
        }
        if (sql.equals("SET GLOBAL read_only=1") && waiting.containsKey("7")) {
            throw new SQLException("Lock wait timeout exceeded", "HY000", 1205);
        }
        if (sql.startsWith("SET GLOBAL") || sql.startsWith("INSTALL PLUGIN")) {
            executed.add(sql);
        }
        if (sql.startsWith("STOP SLAVE")) {
            receiver = "No";
            if (!sql.endsWith(" IO_THREAD")) {
                applier = "No";
            }
            received = arriving.isEmpty() ? received : arriving;
        } else if (applier.equals("Yes") && sql.equals("SHOW ALL SLAVES STATUS")) {
            String all = received;
            replicated = arriving.isEmpty() || all == null ? replicated : all;
        }
        if (sql.startsWith("SELECT GET_LOCK(")) {
            return Map.of("lock", locks ? "1" : "0");
        }
        if (sql.startsWith("SELECT IS_USED_LOCK(")) {
            return Map.of("connection", "7");
        }
        return switch (sql) {
            case "SELECT VERSION()" -> Map.of("VERSION()", "10.11.6-MariaDB");
            case "SHOW GRANTS" -> Map.of("Grants", "GRANT ALL PRIVILEGES ON *.* TO `s`@`%`");
            case "SELECT @@GLOBAL.server_id" -> Map.of("server_id", server);
            case "SELECT @@GLOBAL.read_only" -> Map.of("read_only", readOnly);
            case "SHOW ALL SLAVES STATUS" -> status().columns();
            default -> Map.of();
        };
    }

    private ReplicaStatus status() throws SQLException {
        String gtid = received;
        if (gtid == null) {
            throw new SQLException(
                    "Access denied; you need (at least one of) the SLAVE MONITOR privilege(s)", "42000", 1227);
        }
        Map<String, String> status = new LinkedHashMap<>(Map.of(
                "connection_name", "",
                "slave_io_running", receiver,
                "slave_sql_running", applier,
                "using_gtid", byGtid,
                "gtid_io_pos", gtid,
                "master_log_file", "b.1",
                "read_master_log_pos", "900",
                "relay_master_log_file", "b.1",
                "exec_master_log_pos", appliedUpTo));
        status.putAll(source);
        return new ReplicaStatus(status);
    }

    Takeover takeover(String old, AskedProxy... proxies) throws SQLException {
        return takeover(old, List.of(), proxies);
    }

    Takeover takeover(String old, List<LostSource> boxes, AskedProxy... proxies) throws SQLException {
        return new Takeover(
                new Pair(
                        new Node("the old primary", ScriptedServer.of(primary)),
                        Address.parse(old),
                        new Node("s1", ScriptedServer.of(this)),
                        Address.parse("10.0.0.2:3306"),
                        Dialect.of(ServerFlavor.MARIADB),
                        status()),
                true,
                ScriptedServer.of(this),
                List.of(proxies),
                boxes,
                new FailoverOptions(fenced, Duration.ofSeconds(30), without, null));
    }
}
