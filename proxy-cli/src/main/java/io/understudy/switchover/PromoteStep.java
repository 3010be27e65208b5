package io.understudy.switchover;

import java.sql.SQLException;

/** Makes the standby writable. From then on nothing can be undone. */
final class PromoteStep implements Step {
    private static final int TRIES = 5;
    private static final long PAUSE_MILLIS = 200;

    private final Pair pair;
    private final LastTransaction transaction;
    private final HoldClock clock;

    PromoteStep(Pair pair, LastTransaction transaction, HoldClock clock) {
        this.pair = pair;
        this.transaction = transaction;
        this.clock = clock;
    }

    @Override
    public String plan() {
        return "promote " + pair.standby().name() + ": " + pair.dialect().writable();
    }

    @Override
    public String run() throws Exception {
        transaction.ensureLast();
        clock.left("and the standby is not promoted");
        try {
            pair.standby().execute(pair.dialect().writable());
        } catch (SQLException e) {
            if (readOnlyStill(e)) {
                throw new StepFailure(e.getMessage() + "; it is read-only still", e);
            }
        }
        return pair.standbyAddress() + " is writable";
    }

    private boolean readOnlyStill(SQLException failed) throws PromotionUnknown, InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            try {
                return CheckStep.readOnly(pair.standby());
            } catch (SQLException e) {
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        throw new PromotionUnknown(
                failed.getMessage() + "; whether it is writable now is not known. The old primary "
                        + pair.primaryAddress() + " stays read-only. If SELECT @@GLOBAL.read_only on "
                        + pair.standbyAddress() + " is 0, tell the proxy: POST /api/primary; if it is 1, on "
                        + pair.primaryAddress() + ": " + pair.dialect().writable() + ", and on "
                        + pair.standbyAddress() + ": " + pair.dialect().start(pair.replication()),
                failed);
    }
}
