package io.understudy.rebuild;

import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A standby within its bounds, and the operator who may stop the run.
 *
 * @param stop is counted down when the operator requests a stop
 */
record Calm(StandbyQueries standby, Bounds bounds, CountDownLatch stop, ProgressOutput journal) {
    private static final long EVERY_MILLIS = 500;
    private static final String STOPPED = "not begun, as it was stopped";

    boolean stopped() {
        return stop.getCount() == 0;
    }

    /** Waits until the next rebuild may begin. Returns the reason for giving up, or null if the standby is calm. */
    TableRebuild.@Nullable Failure await() throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + bounds.patience().toNanos();
        boolean said = false;
        while (true) {
            if (stopped()) {
                return failure(TableOutcome.State.ENDED, STOPPED);
            }
            Load load = standby.load();
            String promoted = Bounds.promoted(load);
            if (!promoted.isEmpty()) {
                return failure(TableOutcome.State.ENDED, "not begun, as " + promoted);
            }
            String busy = bounds.busy(load);
            if (busy.isEmpty()) {
                return null;
            }
            if (System.nanoTime() - deadline > 0) {
                return failure(
                        TableOutcome.State.FAILED, "waited " + bounds.patience().toSeconds() + " s, and still " + busy);
            }
            if (!said) {
                said = true;
                journal.line("waiting, as " + busy);
            }
            if (stop.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                return failure(TableOutcome.State.ENDED, STOPPED);
            }
        }
    }

    private static TableRebuild.Failure failure(TableOutcome.State state, String why) {
        return new TableRebuild.Failure(state, 0, why);
    }
}
