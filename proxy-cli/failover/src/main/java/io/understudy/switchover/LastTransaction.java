package io.understudy.switchover;

import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.time.Duration;

/** The position of the old primary's last transaction, which the standby has applied. Used by one thread. */
final class LastTransaction {
    /** For the response: the old primary must be writable again before the hold is over. */
    private static final Duration GRACE = Duration.ofMillis(150);

    private final Pair pair;
    private String position = "";

    LastTransaction(Pair pair) {
        this.pair = pair;
    }

    String position() {
        return position;
    }

    /** Reads it, and waits until the standby has applied it. */
    Step applied(HoldClock clock) {
        String name = pair.standby().name();
        return Step.of("wait until " + name + " has applied the last transaction", () -> {
            String waitsFor = "and " + name + " has yet to apply the last transactions";
            position = pair.primary().valueWithin(pair.dialect().position(), clock.left(waitsFor));
            Duration left = clock.left(waitsFor);
            String applied = pair.standby().valueWithin(pair.dialect().applied(position, left), left.plus(GRACE));
            if (!applied.equals("0")) {
                throw new StepFailure(name + " has not applied " + position + " within " + left.toMillis() + " ms");
            }
            return "applied up to " + position;
        });
    }

    /**
     * Reads it behind a switch of another run, which has not told.
     *
     * @throws StepFailure if the standby, which is the primary now, has not all of it
     */
    void find() throws SQLException, StepFailure {
        String found = pair.primary().value(pair.dialect().position());
        if (!pair.standby().value(pair.dialect().applied(found, Duration.ZERO)).equals("0")) {
            throw new StepFailure("the old primary " + pair.primaryAddress() + " is at " + found + ", and "
                    + pair.standby().name() + " lacks a part of that: read it there with mariadb-binlog or mysqlbinlog."
                    + " docs/switchover.md, step 15");
        }
        position = found;
    }

    /**
     * Ensures that the old primary is read-only and that no other transaction followed it.
     *
     * @throws StepFailure if it is not, or one did
     */
    void ensureLast() throws SQLException, StepFailure {
        if (!ServerQueries.isOn(pair.primary().value(pair.dialect().isReadOnly()))) {
            throw new StepFailure("the old primary " + pair.primaryAddress() + " is not read-only any more ("
                    + pair.dialect().isReadOnly() + "): somebody has set it writable meanwhile, or restarted it");
        }
        String now = pair.primary().value(pair.dialect().position());
        if (!now.equals(position)) {
            throw new StepFailure("somebody wrote to the old primary " + pair.primaryAddress()
                    + " although it is read-only: it was at " + position + " and is at " + now + ", and "
                    + pair.standby().name() + " lacks the difference. Take READ ONLY ADMIN (SUPER) from that account");
        }
    }
}
