package io.understudy.servers;

import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One server's variables of semi-synchronous replication, by either of their names.
 *
 * @param variables by lower-case names; MySQL has them only with the plugins
 */
public record SemiSyncVariables(Map<String, String> variables) {
    /** The statement that returns them. */
    public static final String QUERY = "SHOW GLOBAL VARIABLES LIKE 'rpl_semi_sync%'";

    private static final String PREFIX = "rpl_semi_sync_";

    public static SemiSyncVariables of(ServerQueries server) throws SQLException {
        return new SemiSyncVariables(server.pairs(QUERY));
    }

    private String enabled(String today, String formerly) {
        String old = PREFIX + formerly + "_enabled";
        return has(old) ? old : PREFIX + today + "_enabled";
    }

    /** Returns the variable that makes commits wait for an acknowledgement. */
    public String source() {
        return enabled("source", "master");
    }

    /** Returns the variable by which they wait even while no standby is connected. */
    public String waits() {
        return PREFIX + (source().contains("master") ? "master_wait_no_slave" : "source_wait_no_replica");
    }

    /** Returns the variable that makes a standby acknowledge. */
    public String replica() {
        return enabled("replica", "slave");
    }

    public boolean has(String variable) {
        return variables.containsKey(variable);
    }

    public boolean isOn(String variable) {
        return ServerQueries.isOn(variables.get(variable));
    }

    /**
     * Returns the statements after which commits wait for an acknowledgement once a replica is connected.
     *
     * @param timeoutMillis zero to leave it
     */
    public List<String> wait(String point, long timeoutMillis) {
        String side = source().replace("enabled", "");
        List<String> statements = new ArrayList<>();
        if (!has(source())) {
            statements.add("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'");
        }
        statements.add("SET GLOBAL " + side + "wait_point=" + Quoting.text(point)
                + (timeoutMillis > 0 ? ", GLOBAL " + side + "timeout=" + timeoutMillis : "") + ", GLOBAL " + waits()
                + "=0, GLOBAL " + source() + "=1");
        return statements;
    }

    /** Returns the statements after which the server acknowledges as a standby. */
    public List<String> acknowledge() {
        if (has(replica())) {
            return isOn(replica()) ? List.of() : List.of("SET GLOBAL " + replica() + "=1");
        }
        return List.of(
                "SET GLOBAL super_read_only=0", // which refuses INSTALL PLUGIN; read_only stays on
                "INSTALL PLUGIN rpl_semi_sync_replica SONAME 'semisync_replica.so'",
                "SET GLOBAL super_read_only=1",
                "SET GLOBAL rpl_semi_sync_replica_enabled=1");
    }
}
