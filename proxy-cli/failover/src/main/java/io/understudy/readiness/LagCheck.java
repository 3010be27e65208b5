package io.understudy.readiness;

import io.understudy.servers.ReplicaStatus;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Checks the standby's lag, and the time for which a planned change of the primary would hold its clients. */
final class LagCheck {
    /** Fencing, STOP SLAVE and opening took 4 to 42 ms in tests. */
    private static final double CHANGE_SECONDS = 0.1;

    /**
     * The lag over both readings.
     *
     * @param seconds null if not known
     * @param transactions that the primary had in the first reading and the standby lacks in the second; null if not
     *     known
     */
    record Lag(@Nullable Double seconds, @Nullable Long transactions) {
        static Lag of(Situation situation) {
            Long missing = transactions(situation);
            ReplicaStatus before = Situation.fromPrimary(situation.before());
            ReplicaStatus now = Situation.fromPrimary(situation.now());
            OptionalDouble first = before == null ? OptionalDouble.empty() : before.secondsBehind();
            OptionalDouble second = now == null ? OptionalDouble.empty() : now.secondsBehind();
            if (second.isEmpty()) {
                return new Lag(null, missing);
            }
            // The server's figure also counts a transaction that has just begun to be applied.
            double latest = second.getAsDouble();
            double seconds = missing != null && missing == 0 ? 0 : Math.min(first.orElse(latest), latest);
            return new Lag(seconds, missing);
        }

        private static @Nullable Long transactions(Situation situation) {
            ServerFacts primary = situation.before().primary();
            ServerFacts standby = situation.now().standby();
            try {
                return standby.responded()
                        ? standby.lacks(primary.variable(primary.isMariaDb() ? "gtid_binlog_pos" : "gtid_executed"))
                        : null;
            } catch (IllegalArgumentException e) {
                return null; // the check of errant transactions says so
            }
        }

        /** Returns how long a planned change would hold clients, or null if not known. */
        @Nullable
        Double holdSeconds() {
            Double known = seconds;
            return known == null ? null : known + CHANGE_SECONDS;
        }
    }

    private LagCheck() {}

    static void find(Findings found) {
        Situation situation = found.situation();
        Lag lag = Lag.of(situation);
        Double seconds = lag.seconds();
        Double hold = lag.holdSeconds();
        if (seconds == null || hold == null) {
            // That it has stopped or cannot be read the check of replication says if both readings have it.
            boolean said = Check.REPLICATES.findings(situation).stream()
                    .anyMatch(finding -> finding.decides() || finding.severity() == Severity.BLOCKS);
            if (found.round().hasBoth() && !said) {
                found.undecided(
                        "",
                        "its lag is not known, as of replication that has just stopped or started",
                        "what it lacks is not known",
                        "ask again");
            }
            return;
        }
        boolean blocks = seconds > situation.limits().lag().toMillis() / 1000.0;
        if (!blocks && seconds < situation.limits().noticedLag().toMillis() / 1000.0) {
            return;
        }
        Long transactions = lag.transactions();
        String what = String.format(
                Locale.ROOT,
                "it is %.0f s behind%s",
                seconds,
                transactions == null ? "" : String.format(Locale.ROOT, ", by %,d transactions", transactions));
        String why = String.format(
                Locale.ROOT,
                "a planned change holds clients for about %.1f s; an unplanned one serves old rows until it has applied"
                        + " what it received",
                hold);
        String statement = "wait, and find the cause: SHOW PROCESSLIST on the standby; "
                + (found.standby().isMariaDb() ? "slave_parallel_threads" : "replica_parallel_workers")
                + ", a long transaction, its disk";
        found.either(blocks, "", what, why, statement);
    }
}
