package io.understudy.readiness;

import java.util.List;
import java.util.Locale;

/** Checks the free disk of the standby, where it tells it. */
final class DiskCheck implements Check {
    private static final Findings FOUND = new Findings("disk");
    private static final double LITTLE = 0.1;
    private static final double NOTHING = 0.02;

    @Override
    public List<Finding> findings(Situation situation) {
        FreeDisk disk = situation.now().standby().get(ServerFacts.FREE_DISK).value();
        if (disk == null || disk.share() >= LITTLE) {
            return List.of();
        }
        String what = String.format(
                Locale.ROOT,
                "%.1f %% of %s are free on the standby, %,d MiB",
                100 * disk.share(),
                disk.path(),
                disk.free() >> 20);
        String why = "with a full disk it neither replicates nor takes writes";
        String statement = "free or add room there; SHOW BINARY LOGS, PURGE BINARY LOGS";
        return List.of(FOUND.either(disk.share() < NOTHING, "", what, why, statement));
    }
}
