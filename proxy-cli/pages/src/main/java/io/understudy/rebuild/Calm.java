package io.understudy.rebuild;

import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits until a standby is within the bounds at which a rebuild may begin. */
final class Calm {
    private static final long EVERY_MILLIS = 500;
    private static final String STOPPED = "not begun, as it was stopped";

    private final StandbyQueries standby;
    private final Bounds bounds;
    private final CountDownLatch stop;
    private final ProgressOutput journal;

    /** @param stop is counted down when the operator requests a stop */
    Calm(StandbyQueries standby, Bounds bounds, CountDownLatch stop, ProgressOutput journal) {
        this.standby = standby;
        this.bounds = bounds;
        this.stop = stop;
        this.journal = journal;
    }

    /** Waits. Returns the reason for giving up, or null if the standby is calm. */
    TableRebuild.@Nullable Failure await() throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + bounds.patience().toNanos();
        boolean said = false;
        while (true) {
            if (stop.getCount() == 0) {
                return failure(Outcome.State.ENDED, STOPPED);
            }
            Load load = standby.load();
            String promoted = Bounds.promoted(load);
            if (!promoted.isEmpty()) {
                return failure(Outcome.State.ENDED, "not begun, as " + promoted);
            }
            String busy = bounds.busy(load);
            if (busy.isEmpty()) {
                return null;
            }
            if (System.nanoTime() - deadline > 0) {
                return failure(
                        Outcome.State.FAILED, "waited " + bounds.patience().toSeconds() + " s, and still " + busy);
            }
            if (!said) {
                said = true;
                journal.line("waiting, as " + busy);
            }
            if (stop.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                return failure(Outcome.State.ENDED, STOPPED);
            }
        }
    }

    private static TableRebuild.Failure failure(Outcome.State state, String why) {
        return new TableRebuild.Failure(state, 0, why);
    }
}
