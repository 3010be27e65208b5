package io.understudy.unplanned;

import io.understudy.lost.LostUnion;
import io.understudy.lost.MissingView;
import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import io.understudy.servers.ReplicaStatus;
import io.understudy.sql.Quoting;
import io.understudy.switchover.Pair;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Waits until the standby has applied what it has received, and then stops its replication: the receiver first, as more
 * may arrive until that has ended. While something is in relay logs alone the applier runs: MariaDB throws relay logs
 * away when both threads are stopped and one starts (MDEV-4698).
 *
 * @param progress is told, about each second, what is left
 */
record ReceivedStep(Takeover takeover, Consumer<String> progress) implements Step {
    private static final long PAUSE_MILLIS = 100;
    private static final int TOLD_EACH = 20;

    @Override
    public String plan() {
        return "wait until " + takeover.name() + " has applied what it has received, and stop its replication";
    }

    @Override
    public String run() throws Exception {
        if (!takeover.replicates()) {
            return "it does not replicate";
        }
        Pair pair = takeover.pair();
        long begun = System.nanoTime();
        boolean started = false;
        takeover.reached().received(); // says what to grant if it cannot be queried
        for (int i = 0; ; i++) {
            ReplicaStatus status = takeover.replication(); // before the position: of a stopped one that is the last
            Reached reached = takeover.reached();
            String left = reached.received();
            if (left.isEmpty() && status.isStopped()) {
                String untold = takeover.untold();
                if (!untold.isEmpty()) {
                    return unlessNothingIsLost(untold);
                }
                return "applied up to " + reached + ", and stopped";
            }
            if (left.isEmpty() && (status.isReceiverStopped() || status.applies())) {
                stop(status.isReceiverStopped() ? pair.dialect().stop(pair.replication()) : thread("STOP", "IO"));
                continue;
            }
            if (status.isStopped() && pair.dialect().flavor() == ServerFlavor.MARIADB) {
                return fromBlackBoxes(left);
            }
            if (!status.applies() && !status.applierError().isEmpty()) {
                throw new StepFailure(takeover.name() + " cannot apply what it has received: "
                        + status.applierError() + ". Mend that, START SLAVE SQL_THREAD there (MySQL: REPLICA), and try"
                        + " again. Do not stop its receiver");
            }
            if (!status.applies() && started) {
                throw new StepFailure(takeover.name() + " does not apply what it has received, though it was started");
            }
            if (!status.applies()) {
                pair.standby().execute(thread("START", "SQL"));
                started = true;
            }
            if (System.nanoTime() - begun > takeover.options().timeout().toNanos()) {
                throw new StepFailure(takeover.name() + " has received " + left + " and not applied it within "
                        + takeover.options().timeout().toSeconds()
                        + " s. It goes on; try again, with a longer --timeout");
            }
            if (i % TOLD_EACH == 0 && !left.isEmpty()) {
                progress.accept(takeover.name() + " has yet to apply " + left);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private void stop(String statement) throws SQLException {
        takeover.standby().traced();
        takeover.standby().executeWithin(statement, takeover.options().timeout());
        takeover.standby().ensureFormerEnded();
    }

    private String thread(String verb, String which) {
        String name = Quoting.text(takeover.pair().replication().name());
        return takeover.pair().dialect().flavor() == ServerFlavor.MARIADB
                ? verb + " SLAVE " + name + " " + which + "_THREAD"
                : verb + " REPLICA " + which + "_THREAD FOR CHANNEL " + name;
    }

    private String unlessNothingIsLost(String untold) throws Exception {
        Map<String, Map<String, Object>> views = takeover.look(takeover.reached());
        List<String> lost = views.isEmpty()
                ? List.of("no black box was read")
                : LostUnion.of(views).gone();
        if (!lost.isEmpty()) {
            throw new StepFailure(takeover.name() + " has " + untold + ". What they hold is not known, and may be"
                    + " nowhere else (" + String.join("; ", lost) + "). Copy them, and read them with mariadb-binlog."
                    + " To go on without them: START SLAVE SQL_THREAD there, which throws them away (MDEV-4698), and"
                    + " repeat this");
        }
        return "it has " + untold + ". The black boxes have all that clients were told, and are applied instead";
    }

    /** The black boxes have them until a standby has applied them; the next step reports what they have not. */
    private String fromBlackBoxes(String left) throws Exception {
        Map<String, Map<String, Object>> views = takeover.look(takeover.reached());
        MissingView lost = views.isEmpty() ? new MissingView(Map.of()) : LostUnion.of(views);
        GtidNumbers captured = lost.numbers("captured");
        boolean all = MariaDbGtid.list(left).stream()
                .allMatch(last -> captured.contains(String.valueOf(last.domain()), last.sequence()));
        if (!all || lost.unknown() > 0) {
            throw new StepFailure(takeover.name() + " has received " + left
                    + ", which the black boxes do not have, and its replication is stopped: MariaDB throws that"
                    + " away when it starts again (MDEV-4698). Read"
                    + " its relay logs with mariadb-binlog, and apply them by hand");
        }
        return "its replication is stopped, so that MariaDB would throw away " + left
                + " in its relay logs; it comes from the black boxes instead";
    }
}
