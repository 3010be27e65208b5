package io.understudy.readiness;

import java.util.List;

/** Transactions that the standby has received and not applied: a restart of its replication loses them. */
final class ReceivedCheck implements Check {
    private static final String NAME = "received";

    @Override
    public List<Finding> findings(Situation situation) {
        Channel before = Situation.fromPrimary(situation.before());
        Channel now = Situation.fromPrimary(situation.now());
        ServerFacts standby = situation.now().standby();
        if (before == null || now == null || !standby.responded()) {
            return List.of();
        }
        String amount = amount(before, now, standby);
        if (amount.isEmpty() || isWorkedOff(situation, now)) {
            return List.of();
        }
        String position = standby.isMariaDb() ? now.received() : "";
        return List.of(Finding.blocks(
                NAME,
                now.name(),
                "it has received " + amount + " that it has not applied",
                "their clients may have been told that they are safe; STOP SLAVE with START SLAVE, or a restart of the"
                        + " server, throws them away (MDEV-4698)",
                (now.applies() ? "" : "do not restart its replication; on the standby: START SLAVE SQL_THREAD; then ")
                        + (position.isEmpty()
                                ? "wait until it has applied them, then STOP "
                                        + (standby.isMariaDb() ? "SLAVE" : "REPLICA")
                                : "on the standby, before STOP SLAVE: SELECT MASTER_GTID_WAIT('" + position
                                        + "', 60)")));
    }

    /** Returns whether the applier made progress between the readings and is not far behind: then it is lag. */
    private static boolean isWorkedOff(Situation situation, Channel now) {
        ServerFacts before = situation.before().standby();
        ServerFacts standby = situation.now().standby();
        String position = standby.isMariaDb() ? "gtid_slave_pos" : "gtid_executed";
        double behind = now.secondsBehind().orElse(Double.MAX_VALUE);
        return now.applies()
                && before.responded()
                && !before.variable(position).equals(standby.variable(position))
                && behind < situation.limits().noticedLag().toMillis() / 1e3;
    }

    /** Returns what was received in the first reading and is not applied in the second; empty for nothing. */
    private static String amount(Channel before, Channel now, ServerFacts standby) {
        Long missing = standby.isMariaDb()
                ? ReplicationGtids.missing(true, before.received(), standby.variable("gtid_slave_pos"))
                : ReplicationGtids.missing(false, before.received(), standby.variable("gtid_executed"));
        if (missing != null) {
            return missing == 0 ? "" : missing + " transactions";
        }
        // Without GTIDs only positions can be compared; the applier's moves while it is being followed.
        boolean stands = before.appliedFile().equals(now.appliedFile());
        return stands && !before.receivedFile().equals(now.appliedFile())
                ? "events up to " + before.receivedFile()
                : "";
    }
}
