package io.understudy.cli.check;

import io.understudy.config.LoadedConfig;
import io.understudy.config.StandbyConfig;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Questions to a standby: is it one, is it the primary's, and can its account do no more than read. */
public final class StandbyCheck {
    private final LoadedConfig loaded;
    private final StandbyConfig standby;
    private final @Nullable String primary;
    private final String where;
    private final List<Finding> findings = new ArrayList<>();

    /** @param primary what tells the primary from other servers, or null when it could not be asked */
    public StandbyCheck(LoadedConfig loaded, StandbyConfig standby, @Nullable String primary) {
        this.loaded = loaded;
        this.standby = standby;
        this.primary = primary;
        this.where = "standby " + standby.name();
    }

    public List<Finding> run() {
        try (Question ask = Question.to(
                standby.address(),
                standby.tls(),
                standby.user(),
                standby.password().reveal())) {
            add(Finding.ok(where, standby.address() + " answers, version " + ask.one("SELECT VERSION()")));
            if (Identity.of(ask).equals(primary)) {
                add(Finding.error(where, "is the primary itself: mirrored statements would run on the primary"));
                return findings;
            }
            String readOnly = String.valueOf(ask.variable("read_only"));
            if (readOnly.equals("OFF") || readOnly.equals("0")) {
                add(Finding.error(
                        where, "is writable, so nothing will be mirrored to it; SET GLOBAL read_only = 1 there"));
            } else {
                add(Finding.ok(where, "read_only is " + readOnly));
            }
            account(ask);
            replication(ask);
            parallelApply(ask);
        } catch (SQLException e) {
            add(Finding.error(
                    where,
                    "cannot log in to " + standby.address() + " as " + standby.user() + ": " + e.getMessage() + "; "
                            + remedy()));
        }
        return findings;
    }

    private String remedy() {
        return "on the primary, from which it replicates: CREATE USER '" + standby.user()
                + "'@'%' IDENTIFIED BY '…'; GRANT SELECT ON <schema>.* TO '" + standby.user() + "'@'%'";
    }

    private void account(Question ask) throws SQLException {
        List<String> more = new Grants(ask.all("SHOW GRANTS", 1)).beyondReading();
        if (more.isEmpty()) {
            add(Finding.ok(where, "account " + standby.user() + " can only read"));
        } else {
            add(Finding.error(
                    where,
                    "account " + standby.user() + " can do more than read (" + String.join(", ", more) + "): REVOKE "
                            + String.join(", ", more) + " … FROM '" + standby.user() + "', or use another account: "
                            + remedy()));
        }
    }

    private void replication(Question ask) {
        try {
            boolean mariaDb = ask.isMariaDb();
            List<String> host = ask.all(mariaDb ? "SHOW ALL SLAVES STATUS" : "SHOW REPLICA STATUS", mariaDb ? 4 : 2);
            if (host.isEmpty()) {
                add(Finding.error(where, "does not replicate from any server"));
            } else {
                add(Finding.ok(where, "replicates from " + String.join(", ", host)));
            }
        } catch (SQLException e) {
            add(Finding.warning(
                    where,
                    "its replication cannot be looked at, so pauseAbove.replicationLag has no effect: GRANT REPLICA MONITOR"
                            + " ON *.* TO '" + standby.user() + "'@'%' (MySQL: REPLICATION CLIENT)"));
        }
    }

    private void parallelApply(Question ask) throws SQLException {
        if (!loaded.plugins().containsKey("gtid-domain") || !ask.isMariaDb()) {
            return;
        }
        String threads = String.valueOf(ask.variable("slave_parallel_threads"));
        if (threads.equals("0")) {
            add(Finding.warning(
                    where,
                    "slave_parallel_threads is 0: tagging is useless until it is above; 4 is a beginning: STOP SLAVE;"
                            + " SET GLOBAL slave_parallel_threads = 4; START SLAVE"));
        }
        String mode = String.valueOf(ask.variable("slave_parallel_mode"));
        if (mode.equals("none") || mode.equals("minimal")) {
            add(Finding.warning(
                    where,
                    "slave_parallel_mode is " + mode + ": domains are not applied in parallel; STOP SLAVE; SET GLOBAL"
                            + " slave_parallel_mode = optimistic (or conservative); START SLAVE"));
        }
        String queued = ask.variable("slave_parallel_max_queued");
        if (queued != null && Long.parseLong(queued) <= 131_072) {
            add(
                    Finding.warning(
                            where,
                            "slave_parallel_max_queued is " + queued
                                    + " bytes: large row transactions still stall the others;"
                                    + " 16777216 lets them pass: STOP SLAVE; SET GLOBAL slave_parallel_max_queued = 16777216; START SLAVE"));
        }
    }

    private void add(Finding finding) {
        findings.add(finding);
    }
}
