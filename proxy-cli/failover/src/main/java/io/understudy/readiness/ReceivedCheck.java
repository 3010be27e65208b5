package io.understudy.readiness;

import io.understudy.servers.ReplicaRemedy;
import io.understudy.servers.ReplicaStatus;

/** Transactions that the standby has received and not applied, which some statements throw away. */
final class ReceivedCheck {
    private ReceivedCheck() {}

    static void find(Findings found) {
        Situation situation = found.situation();
        ReplicaStatus before = Situation.fromPrimary(situation.before());
        ReplicaStatus now = Situation.fromPrimary(situation.now());
        ServerFacts standby = found.standby();
        if (before == null || now == null) {
            return;
        }
        String amount = amount(before, now, standby);
        if (amount.isEmpty() || isWorkedOff(situation, now)) {
            return;
        }
        found.blocks(
                now.name(),
                "it has received " + amount + " that it has not applied",
                "their clients may have been told that they are safe; "
                        + ReplicaRemedy.discarding(now, standby.isMariaDb()) + " throws them away",
                "on the standby, before any STOP of its replication: "
                        + ReplicaRemedy.applying(now, standby.isMariaDb()));
    }

    /** Returns whether the applier made progress between the readings and is not far behind: then it is lag. */
    private static boolean isWorkedOff(Situation situation, ReplicaStatus now) {
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
    private static String amount(ReplicaStatus before, ReplicaStatus now, ServerFacts standby) {
        Long missing = standby.lacks(before.received());
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
