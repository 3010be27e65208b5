package io.understudy.rebuild;

import io.understudy.rebuild.Bounds.Load;
import io.understudy.rebuild.TableRebuild.NotRebuiltException;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One run of {@link Defragmentation}: the standby, the bounds, and the operator who may stop it.
 *
 * @param standby asks for its state and ends statements
 * @param worker the connection that rebuilds
 * @param further opens connections that end a statement if the one that watches it is lost
 * @param stop is counted down when the operator requests a stop
 */
record DefragmentationRun(
        StandbyQueries standby,
        Worker worker,
        SuperReadOnly.Connecting further,
        Defragmentation.Options options,
        CountDownLatch stop,
        ProgressOutput journal) {
    private static final long EVERY_MILLIS = 500;

    boolean stopped() {
        return stop.getCount() == 0;
    }

    /** Waits until the standby is calm, so that the next rebuild may begin. */
    void awaitCalm() throws SQLException, InterruptedException, NotRebuiltException {
        Bounds bounds = options.bounds();
        long deadline = System.nanoTime() + bounds.patience().toNanos();
        for (boolean said = false; !stopped(); said = true) {
            Load load = standby.load();
            String promoted = Bounds.promoted(load);
            if (!promoted.isEmpty()) {
                throw new NotRebuiltException(TableOutcome.State.ENDED, 0, "not begun, as " + promoted);
            }
            String busy = bounds.busy(load);
            if (busy.isEmpty()) {
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NotRebuiltException(
                        TableOutcome.State.FAILED,
                        0,
                        "waited " + bounds.patience().toSeconds() + " s, and still " + busy);
            }
            if (!said) {
                journal.line("waiting, as " + busy);
            }
            stop.await(EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
        throw new NotRebuiltException(TableOutcome.State.ENDED, 0, "not begun, as it was stopped");
    }
}
