package io.understudy.switchover;

import java.sql.SQLException;

/**
 * Makes the standby writable. From then on nothing can be undone.
 *
 * @param ready fails if it is not to be, at the last moment
 * @param afterwards what to do when it is not known whether it is writable, behind the end of the connection
 */
public record PromoteStep(Pair pair, Check ready, String afterwards) implements Step {
    /** What must hold at the last moment. */
    public interface Check {
        void run() throws Exception;
    }

    private static final int TRIES = 5;
    private static final long PAUSE_MILLIS = 400;

    @Override
    public String plan() {
        return "promote " + pair.standby().name() + ": " + pair.dialect().writable();
    }

    @Override
    public String run() throws Exception {
        ready.run();
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
                        + " not known. On " + pair.standbyAddress() + ": KILL " + connection
                        + ", until SHOW PROCESSLIST"
                        + " has that connection no more. " + afterwards,
                failed);
    }
}
