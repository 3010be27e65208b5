package io.understudy.readiness;

import io.understudy.servers.ReplicaStatus;

/** A long schema change on one of the servers; on MariaDB, one that has begun on the standby and whose end is due. */
final class SchemaChangeCheck {
    private SchemaChangeCheck() {}

    static void find(Findings found) {
        found.standby().schemaChanges().stream()
                .filter(SchemaChange::applied)
                .forEach(change -> applied(change, found));
        for (SchemaChange change : found.primary().schemaChanges()) {
            if (!change.applied()) {
                found.warns(
                        "primary " + change.connection() + " " + change.text(),
                        "the primary executes a schema change for " + change.seconds() + " s: " + change.text(),
                        "a planned change waits for its end, or fails; if the primary dies now, it is undone",
                        "wait for its end, or on the primary: KILL QUERY " + change.connection());
            }
        }
    }

    private static void applied(SchemaChange change, Findings found) {
        String subject = "standby " + change.connection() + " " + change.text();
        if (isOpen(found.round())) {
            found.warns(
                    subject,
                    "a two-phase ALTER is open: the standby has begun it, and the primary has not yet sent its end: "
                            + change.text(),
                    "if the primary is lost, its end never comes: after the promotion the table refuses writes"
                            + " (error 1205)",
                    "wait for its end; without the primary, on the standby: STOP SLAVE, which rolls it back");
        } else {
            found.warns(
                    subject,
                    "replication executes a schema change for " + change.seconds() + " s: " + change.text(),
                    "a promotion waits for its end",
                    "wait for its end");
        }
    }

    /** The begin of a two-phase ALTER counts as applied at once, any other statement at its end only. */
    private static boolean isOpen(Situation.Round round) {
        ReplicaStatus channel = Situation.fromPrimary(round);
        if (channel == null || !round.standby().isMariaDb()) {
            return false;
        }
        Long missing = round.standby().lacks(channel.received());
        return missing != null && missing == 0;
    }
}
