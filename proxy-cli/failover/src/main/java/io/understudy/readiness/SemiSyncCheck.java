package io.understudy.readiness;

import io.understudy.lost.WitnessWarning;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.SemiSyncVariables;

/** Checks that this standby has acknowledged the commits whose clients got an OK. */
final class SemiSyncCheck {
    /** Subject of the finding that a switchover mends itself. */
    static final String SOURCE = "source";

    private SemiSyncCheck() {}

    static void find(Findings found) {
        SemiSyncVariables there = found.primary().semiSync();
        SemiSyncVariables own = found.standby().semiSync();
        if (!there.isOn(there.source())) {
            return; // asynchronous by choice
        }
        String restart = found.standby().isMariaDb()
                ? "STOP SLAVE IO_THREAD; START SLAVE IO_THREAD"
                : "STOP REPLICA IO_THREAD; START REPLICA IO_THREAD";
        if (SemiSyncSource.value(there.variables(), "status").equalsIgnoreCase("OFF")) {
            found.blocks(
                    "primary",
                    "the primary has given up waiting for acknowledgements",
                    "commits that clients were told of may be on the primary only, and are lost with it",
                    "find out why no standby acknowledges in time; on the standby: " + restart);
        }
        if (!own.isOn(own.replica().replace("enabled", "status"))) {
            boolean witnessed =
                    WitnessWarning.isPresent(found.situation().proxy().witness());
            found.add(
                    "standby",
                    witnessed ? Severity.NOTES : Severity.BLOCKS,
                    "this standby does not acknowledge" + (witnessed ? ", the witness does" : ""),
                    witnessed
                            ? "commits that the witness alone has acknowledged are applied by understudy failover, and"
                                    + " by no other tool"
                            : "commits that another standby has acknowledged may be missing on this one",
                    "on the standby: "
                            // Enabled while it was receiving already, it takes part from the next start on.
                            + (own.isOn(own.replica()) ? "" : "SET GLOBAL " + own.replica() + " = 1; ")
                            + restart);
        }
        source(own, found);
    }

    /** The side that the standby needs as the primary. */
    private static void source(SemiSyncVariables own, Findings found) {
        String why = "as the primary it would tell clients of commits that no other server has";
        if (!own.has(own.source())) {
            found.blocks(
                    "source plugin",
                    "this standby has no plugin for the source side of semi-sync, which the primary uses",
                    why,
                    "in the standby's option file: plugin-load-add = semisync_source.so; then restart it");
        } else if (!own.isOn(own.source())) {
            found.blocks(
                    SOURCE,
                    own.source() + " is off on this standby, and the primary uses it",
                    why,
                    "understudy switchover enables it; with other tools, on the standby: SET GLOBAL " + own.waits()
                            + " = 0, GLOBAL " + own.source() + " = 1 (with 0 commits wait only while a standby is"
                            + " connected)");
        }
    }
}
