package io.understudy.switchover;

import io.understudy.servers.SemiSyncVariables;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Enables the source side of semi-synchronous replication on the standby if the old primary uses it, so that commits do
 * not wait while no standby is connected: there is none at the promotion. Runs once the applier has stopped, whose
 * commits would wait for acknowledgements, too.
 */
final class SemiSyncStep implements Step {
    private final Pair pair;
    private final HoldClock clock;
    private @Nullable SemiSyncVariables before;
    private boolean waited;

    SemiSyncStep(Pair pair, HoldClock clock) {
        this.pair = pair;
        this.clock = clock;
    }

    @Override
    public String plan() {
        return "enable semi-sync on " + pair.standby().name() + " if the old primary has it enabled";
    }

    @Override
    public String run() throws Exception {
        SemiSyncVariables old = pair.primary().semiSync();
        if (!old.isOn(old.source())) {
            return "it has not";
        }
        SemiSyncVariables own = pair.standby().semiSync();
        if (!own.has(own.source())) {
            throw new StepFailure(pair.standby().name() + " has no plugin for the source side of semi-sync; in its"
                    + " option file: plugin-load-add = semisync_source.so; then restart it");
        }
        waited = own.isOn(own.waits());
        if (own.isOn(own.source()) && !waited) {
            return "it is on already";
        }
        pair.standby().traced();
        before = own;
        pair.standby().executeWithin(set(own, false, true), clock.left("and semi-sync is not enabled"));
        return "commits wait once a standby is connected"
                + (waited ? "; then, to have them wait also without one: " + later() : "");
    }

    private static String set(SemiSyncVariables names, boolean waits, boolean enabled) {
        return "SET GLOBAL " + names.waits() + "=" + (waits ? 1 : 0) + ", GLOBAL " + names.source() + "="
                + (enabled ? 1 : 0);
    }

    /** Returns the statement for the new primary once a standby acknowledges; empty if there is none. */
    private String later() {
        SemiSyncVariables names = before;
        return names == null || !waited ? "" : "on " + pair.standbyAddress() + ": SET GLOBAL " + names.waits() + "=1";
    }

    @Override
    public String undo() throws SQLException, UndoRefused {
        SemiSyncVariables names = before;
        if (names == null) {
            return "";
        }
        pair.standby().ensureFormerEnded();
        if (!pair.standby().readOnly()) {
            throw new UndoRefused(pair.standbyAddress() + " is writable: somebody has promoted it, and its semi-sync"
                    + " stays enabled");
        }
        String statement = set(names, waited, names.isOn(names.source()));
        try {
            pair.standby().execute(statement);
        } catch (SQLException e) {
            throw new SQLException(
                    "semi-sync may not be as before on " + pair.standbyAddress() + "; there: " + statement + " ("
                            + e.getMessage() + ")",
                    e);
        }
        return "semi-sync is as before on " + pair.standby().name();
    }
}
