package io.understudy.unplanned;

import io.understudy.config.Address;
import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ReplicaRemedy;
import io.understudy.servers.ReplicaStatus;
import io.understudy.switchover.Node;
import io.understudy.switchover.Pair;
import io.understudy.switchover.Privileges;
import io.understudy.switchover.ScheduledEvent;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import io.understudy.terminal.Table;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the server that is to get what it lacks, and the account there. Changes nothing.
 *
 * @param promotes whether it becomes the primary
 */
record CheckTargetStep(Takeover takeover, boolean promotes) implements Step {
    @Override
    public String plan() {
        return "check " + takeover.name() + " and the account";
    }

    @Override
    public String run() throws Exception {
        Node standby = takeover.standby();
        ensurePrivileges(standby, List.of()); // events wait: the primary is dead
        String to = takeover.name() + " (" + takeover.pair().standbyAddress() + ")";
        if (takeover.replicates() && !takeover.pair().replication().isByGtid()) {
            throw new StepFailure(to + " does not replicate by GTID, so that what it has received is not known. Promote"
                    + " it by hand: docs/failover.md#people; behind "
                    + takeover.pair().dialect().forget(takeover.pair().replication()) + " run this again");
        }
        if (promotes ? takeover.promoted() : !standby.readOnly()) {
            return to + " is writable" + (promotes ? ": it was promoted before" : "");
        }
        if (!takeover.replicates() && promotes) {
            throw new StepFailure(to + " has no replication connection, so that it is not known to be a standby of this"
                    + " primary. If it is, promote it by hand: docs/failover.md#people");
        }
        if (takeover.pair().dialect().flavor() == ServerFlavor.MYSQL) {
            String obstacle = standby.ask("its binary log", takeover.pair().dialect()::obstacle);
            if (!obstacle.isEmpty()) {
                throw new StepFailure(to + ": " + obstacle + "; what it lacks cannot be told");
            }
        }
        return to + " replicates from " + (takeover.replicates() ? source(to) : "nobody") + ", "
                + takeover.pair().dialect().product()
                + (takeover.pair().dialect().flavor() == ServerFlavor.MYSQL && !Privileges.isSuperReadOnly(standby)
                        ? ", without super_read_only, as a run that was killed leaves it: it stays so unless it is"
                                + " promoted, or there: SET GLOBAL super_read_only=1"
                        : "");
    }

    /** A standby of another server has other data. The proxies know the primary by its last binary log. */
    private String source(String to) throws SQLException, IOException, InterruptedException, StepFailure {
        ReplicaStatus replication = takeover.pair().replication();
        boolean known = false;
        String leftOut = "";
        for (Map.Entry<String, Map<String, Object>> each :
                takeover.look(takeover.reached()).entrySet()) {
            List<Map<String, Object>> logs = Table.rows(each.getValue(), "logs");
            Map<String, Object> last = logs.isEmpty() ? Map.of() : logs.get(logs.size() - 1);
            Boolean from = last.isEmpty() ? null : isFrom(replication, last);
            if (Boolean.FALSE.equals(from)
                    && isPointedTo(replication, takeover.pair().primaryAddress())) {
                from = null;
            }
            if (Boolean.FALSE.equals(from)) {
                throw new StepFailure(to + " replicates from " + replication.source() + " (server_id "
                        + replication.sourceServerId() + "), and the primary that " + each.getKey()
                        + " has read is another server (" + last.get("server") + "): its data are not that server's."
                        + " Name a standby of " + takeover.pair().primaryAddress()
                        + " with --to. "
                        + (logs.stream().anyMatch(log -> Boolean.TRUE.equals(isFrom(replication, log)))
                                ? ofFormer(replication)
                                : "If it is one by way of another server: docs/failover.md#people"));
            }
            known |= from != null;
            if (each.getValue().get("leftOut") instanceof List<?> servers) {
                leftOut += "; of " + each.getKey() + " its part is taken, and not what was read of server_id " + servers
                        + " behind that, which wrote nothing itself";
            }
        }
        return replication.source()
                + (known ? "" : " (not known to be the server that the proxies have read)")
                + leftOut;
    }

    private static @Nullable Boolean isFrom(ReplicaStatus replication, Map<String, Object> log) {
        return replication.isFrom(String.valueOf(log.getOrDefault("uuid", "")), String.valueOf(log.get("serverId")));
    }

    /** MariaDB keeps the number of the server before until it has connected. */
    static boolean isPointedTo(ReplicaStatus replication, Address primary) {
        return !replication.receives() && replication.source().equals(primary.toString());
    }

    /** The primary that followed its own one has died before it was pointed there. */
    private String ofFormer(ReplicaStatus replication) {
        Pair pair = takeover.pair();
        boolean mariaDb = pair.dialect().flavor() == ServerFlavor.MARIADB;
        return "If it has nothing that this one never had: on " + pair.standbyAddress() + ", "
                + ReplicaRemedy.applying(replication, mariaDb) + "; then "
                + String.join(
                        "; ",
                        pair.dialect()
                                .repoint(
                                        pair.primaryAddress().host(),
                                        pair.primaryAddress().port(),
                                        replication))
                + ", although that is dead, and run this again: the black boxes bring what it lacks";
    }

    /**
     * Ensures that the account has the privileges of a failover.
     *
     * @param events that it has to enable
     * @throws StepFailure if it lacks some; the message has the GRANT
     */
    static void ensurePrivileges(Node standby, List<ScheduledEvent> events) throws SQLException, StepFailure {
        List<String> missing = Privileges.missing(standby, events, true, false);
        if (!missing.isEmpty()) {
            throw new StepFailure("the account of section switchover may do too little on " + standby.name()
                    + ". There: " + Privileges.grantOnStandby(standby, missing));
        }
    }
}
