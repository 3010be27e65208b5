package io.understudy.switchover;

import io.understudy.servers.ServerQueries;
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
    private static final String PREFIX = "rpl_semi_sync_";
    private static final String VARIABLES = "SHOW GLOBAL VARIABLES LIKE 'rpl_semi_sync%'";

    public static SemiSyncVariables of(Node node) throws SQLException {
        return new SemiSyncVariables(node.ask(VARIABLES, server -> server.pairs(VARIABLES)));
    }

    private String name(String today, String formerly) {
        return PREFIX + (variables.containsKey(PREFIX + today) ? today : formerly);
    }

    /** Returns the variable that makes commits wait for an acknowledgement. */
    public String source() {
        return name("source_enabled", "master_enabled");
    }

    /** Returns the variable by which they wait even while no standby is connected. */
    public String waits() {
        return name("source_wait_no_replica", "master_wait_no_slave");
    }

    /** Returns the variable that makes a standby acknowledge. */
    public String replica() {
        return name("replica_enabled", "slave_enabled");
    }

    public boolean has(String variable) {
        return variables.containsKey(variable);
    }

    public boolean isOn(String variable) {
        return ServerQueries.isOn(variables.getOrDefault(variable, ""));
    }

    /**
     * Returns the statements after which commits wait for an acknowledgement once a replica is connected.
     *
     * @param timeoutMillis zero to leave it
     */
    public List<String> wait(String point, long timeoutMillis) {
        boolean loaded = has(source());
        String side = PREFIX + (loaded && source().contains("master") ? "master_" : "source_");
        List<String> statements = new ArrayList<>();
        if (!loaded) {
            statements.add("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'");
        }
        statements.add("SET GLOBAL " + side + "wait_point=" + Quoting.text(point)
                + (timeoutMillis > 0 ? ", GLOBAL " + side + "timeout=" + timeoutMillis : "") + ", GLOBAL "
                + (loaded ? waits() : side + "wait_no_replica") + "=0, GLOBAL " + side + "enabled=1");
        return statements;
    }

    /** Returns the statements after which the server acknowledges as a standby. */
    List<String> acknowledge() {
        List<String> statements = new ArrayList<>();
        if (!has(replica())) {
            statements.add("SET GLOBAL super_read_only=0"); // which refuses INSTALL PLUGIN; read_only stays on
            statements.add("INSTALL PLUGIN rpl_semi_sync_replica SONAME 'semisync_replica.so'");
            statements.add("SET GLOBAL super_read_only=1");
            statements.add("SET GLOBAL rpl_semi_sync_replica_enabled=1");
        } else if (!isOn(replica())) {
            statements.add("SET GLOBAL " + replica() + "=1");
        }
        return statements;
    }
}
