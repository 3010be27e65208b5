package io.understudy.switchover;

import java.sql.SQLException;
import java.util.concurrent.Callable;

/**
 * Makes the standby writable. From then on nothing can be undone.
 *
 * @param held returns whether the proxy holds its sessions; fails if the proxy does not respond
 */
record PromoteStep(Pair pair, LastTransaction transaction, HoldClock clock, Callable<Boolean> held) implements Step {
    private static final int TRIES = 5;
    private static final long PAUSE_MILLIS = 400;

    @Override
    public String plan() {
        return "promote " + pair.standby().name() + ": " + pair.dialect().writable();
    }

    @Override
    public String run() throws Exception {
        transaction.ensureLast();
        if (!held.call()) {
            throw new StepFailure(
                    "the proxy holds its sessions no more: somebody has released them, or it has restarted");
        }
        clock.left("and the standby is not promoted");
        String connection = pair.standby().traced();
        try {
            pair.standby().execute(pair.dialect().writable());
        } catch (SQLException e) {
            if (readOnlyStill(e, connection)) {
                throw new StepFailure(e.getMessage() + "; it is read-only still", e);
            }
        }
        return pair.standbyAddress() + " is writable";
    }

    /** After an undo both servers would be writable if the standby executed the statement only then. */
    private boolean readOnlyStill(SQLException failed, String connection)
            throws PromotionUnknown, InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            try {
                if (pair.standby().endFormer().isEmpty()) {
                    return pair.standby().readOnly();
                }
            } catch (SQLException e) {
                // It may respond to the next try.
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        throw new PromotionUnknown(
                failed.getMessage() + "; whether it is writable now, or becomes so when it executes that statement, is"
                        + " not known. The old primary " + pair.primaryAddress() + " stays read-only. On "
                        + pair.standbyAddress() + ": KILL " + connection + ", until SHOW PROCESSLIST has that"
                        + " connection no more. If SELECT @@GLOBAL.read_only there is 0 then, tell the proxy: POST"
                        + " /api/primary; if it is 1, on " + pair.primaryAddress() + ": "
                        + pair.dialect().writable() + ", and on "
                        + pair.standbyAddress() + ": " + pair.dialect().start(pair.replication()),
                failed);
    }
}
