package io.understudy.switchover;

import java.sql.SQLException;
import java.time.Duration;

/** Makes the old primary read-only, for sessions that do not use this proxy. */
final class ReadOnlyStep implements Step {
    private final Pair pair;
    private final HoldClock clock;
    private final Unchanged unchanged;
    private boolean tried;
    private boolean askedWritable;

    ReadOnlyStep(Pair pair, HoldClock clock, Unchanged unchanged) {
        this.pair = pair;
        this.clock = clock;
        this.unchanged = unchanged;
    }

    @Override
    public String plan() {
        return "make the old primary read-only: " + pair.dialect().readOnly();
    }

    @Override
    public String run() throws Exception {
        if (pair.primary().readOnly()) {
            throw new StepFailure(pair.primaryAddress() + " has become read-only since the check: another change of the"
                    + " primary may be under way. Once it is over, see GET /api/primary, and try again");
        }
        String waitsFor = "and the old primary is not read-only yet";
        pair.primary().traced();
        // Whole seconds, and at least one: a statement that waited longer would make it read-only after the undo.
        Duration wait = clock.left(waitsFor);
        pair.primary().executeWithin("SET SESSION lock_wait_timeout=" + Math.max(1, wait.toSeconds()), wait);
        Duration left = clock.left(waitsFor);
        tried = true;
        try {
            pair.primary().executeWithin(pair.dialect().readOnly(), left);
        } catch (SQLException e) {
            throw new SQLException(
                    e.getMessage() + ". If it waited: a session that does not use this proxy may have a lock or a long"
                            + " statement; SHOW PROCESSLIST on " + pair.primaryAddress() + " has it",
                    e.getSQLState(),
                    e.getErrorCode(),
                    e);
        }
        return pair.primaryAddress() + " is read-only";
    }

    @Override
    public String undo() throws Exception {
        if (!tried) {
            return "";
        }
        Node primary = pair.primary();
        try {
            primary.ensureFormerEnded(); // else it might become read-only, or writable, after this
            primary.traced(); // before the looks, so that nothing lies between them and the write
        } catch (SQLException e) {
            throw mayBeReadOnly(e);
        }
        try {
            unchanged.ensure();
        } catch (UndoRefused e) {
            if (askedWritable) { // an attempt that got no response may have been executed
                makeReadOnlyAgain(e);
            }
            throw e;
        }
        askedWritable = true;
        try {
            primary.execute(pair.dialect().writable());
        } catch (SQLException e) {
            throw mayBeReadOnly(e);
        }
        try {
            unchanged.ensureStill();
        } catch (SQLException | UndoRefused e) {
            makeReadOnlyAgain(e);
            throw e;
        }
        return pair.primaryAddress() + " is writable again";
    }

    private void makeReadOnlyAgain(Exception reason) throws UndoRefused {
        try {
            pair.primary().execute(pair.dialect().readOnly());
        } catch (SQLException e) {
            throw new UndoRefused("BOTH SERVERS MAY BE WRITABLE: the old primary " + pair.primaryAddress()
                    + " was made writable, and did not confirm that it is read-only again (" + e.getMessage()
                    + "). Now, on " + pair.primaryAddress() + ": "
                    + pair.dialect().readOnly() + ". Found: "
                    + reason.getMessage());
        }
    }

    private SQLException mayBeReadOnly(SQLException e) {
        return new SQLException(
                "the old primary may still be read-only; on " + pair.primaryAddress() + ": "
                        + pair.dialect().writable() + " (" + e.getMessage() + "). "
                        + (askedWritable ? "It may execute that once it responds. " : "")
                        + "If it does not come back: understudy failover --to "
                        + pair.standby().name(),
                e);
    }
}
