package io.understudy.readiness;

import java.util.Locale;

/** Checks the free disk of the standby, where it tells it. */
final class DiskCheck {
    private static final double LITTLE = 0.1;
    private static final double NOTHING = 0.02;

    private DiskCheck() {}

    static void find(Findings found) {
        FreeDisk disk = found.standby().get(ServerFacts.FREE_DISK).value();
        if (disk == null || disk.share() >= LITTLE) {
            return;
        }
        String what = String.format(
                Locale.ROOT,
                "%.1f %% of %s are free on the standby, %,d MiB",
                100 * disk.share(),
                disk.path(),
                disk.free() >> 20);
        String why = "with a full disk it neither replicates nor takes writes";
        String statement = "free or add room there; SHOW BINARY LOGS, PURGE BINARY LOGS";
        found.either(disk.share() < NOTHING, "", what, why, statement);
    }
}
