package io.understudy.readiness;

import io.understudy.servers.ReplicaStatus;
import java.util.ArrayList;
import java.util.List;

/** A long schema change on one of the servers; on MariaDB, one that has begun on the standby and whose end is due. */
final class SchemaChangeCheck implements Check.OfRound {
    private static final Findings FOUND = new Findings("schema-change");

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        List<Finding> findings = new ArrayList<>();
        for (SchemaChange change : round.standby().schemaChanges()) {
            if (change.applied()) {
                findings.add(applied(change, round));
            }
        }
        for (SchemaChange change : round.primary().schemaChanges()) {
            if (!change.applied()) {
                findings.add(FOUND.warns(
                        "primary " + change.connection() + " " + change.text(),
                        "the primary executes a schema change for " + change.seconds() + " s: " + change.text(),
                        "a planned change waits for its end, or fails; if the primary dies now, it is undone",
                        "wait for its end, or on the primary: KILL QUERY " + change.connection()));
            }
        }
        return findings;
    }

    private static Finding applied(SchemaChange change, Situation.Round round) {
        String subject = "standby " + change.connection() + " " + change.text();
        if (isOpen(round)) {
            return FOUND.warns(
                    subject,
                    "a two-phase ALTER is open: the standby has begun it, and the primary has not yet sent its end: "
                            + change.text(),
                    "if the primary is lost, its end never comes: after the promotion the table refuses writes"
                            + " (error 1205)",
                    "wait for its end; without the primary, on the standby: STOP SLAVE, which rolls it back");
        }
        return FOUND.warns(
                subject,
                "replication executes a schema change for " + change.seconds() + " s: " + change.text(),
                "a promotion waits for its end",
                "wait for its end");
    }

    /** The begin of a two-phase ALTER counts as applied at once, any other statement at its end only. */
    private static boolean isOpen(Situation.Round round) {
        ReplicaStatus channel = Situation.fromPrimary(round);
        if (channel == null || !round.standby().isMariaDb()) {
            return false;
        }
        Long missing = ReplicationGtids.missing(
                true, channel.received(), round.standby().variable("gtid_slave_pos"));
        return missing != null && missing == 0;
    }
}
