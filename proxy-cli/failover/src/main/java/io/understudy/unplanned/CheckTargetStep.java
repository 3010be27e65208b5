package io.understudy.unplanned;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.AccountGrants;
import io.understudy.sql.Quoting;
import io.understudy.switchover.Node;
import io.understudy.switchover.Privileges;
import io.understudy.switchover.ScheduledEvent;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the server that is to get what it lacks, and the account there. Changes nothing.
 *
 * @param promotes whether it becomes the primary
 */
record CheckTargetStep(Takeover takeover, boolean promotes) implements Step {
    private static final String SUPER = "SUPER";

    @Override
    public String plan() {
        return "check " + takeover.name() + " and the account";
    }

    @Override
    public String run() throws Exception {
        Node standby = takeover.standby();
        ensurePrivileges(standby);
        String to = takeover.name() + " (" + takeover.pair().standbyAddress() + ")";
        if (!standby.readOnly()) {
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
        return to + " replicates from "
                + (takeover.replicates() ? takeover.pair().replication().source() : "nobody") + ", "
                + takeover.pair().dialect().product();
    }

    private static void ensurePrivileges(Node standby) throws SQLException, StepFailure {
        List<String> missing =
                new ArrayList<>(Privileges.missing(standby, ScheduledEvent.disabledAsOnStandby(standby)));
        AccountGrants grants = standby.ask("SHOW GRANTS", ServerQueries::grantsWithRoles);
        boolean mariaDb = standby.flavor() == ServerFlavor.MARIADB;
        for (String each : mariaDb ? List.of("BINLOG REPLAY") : List.of("REPLICATION_APPLIER", "CONNECTION_ADMIN")) {
            // MariaDB 11 has taken it out of SUPER.
            boolean part = grants.hasAny(SUPER)
                    && (!mariaDb || standby.value("SELECT VERSION()").startsWith("10."));
            if (!grants.hasAny(each) && !part) {
                missing.add(each);
            }
        }
        if (!missing.isEmpty()) {
            String account = standby.value("SELECT CURRENT_USER()");
            int at = account.lastIndexOf('@');
            throw new StepFailure("the account of section switchover may do too little on " + standby.name()
                    + ". There: SET SESSION sql_log_bin=0; GRANT " + String.join(", ", missing) + " ON *.* TO "
                    + Quoting.account(account.substring(0, at)) + "@" + Quoting.account(account.substring(at + 1)));
        }
    }
}
