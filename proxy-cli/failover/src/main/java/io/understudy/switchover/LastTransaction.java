package io.understudy.switchover;

import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.time.Duration;

/** The position of the old primary's last transaction, which the standby has applied. Used by one thread. */
final class LastTransaction {
    private final Pair pair;
    private String position = "";

    LastTransaction(Pair pair) {
        this.pair = pair;
    }

    String position() {
        return position;
    }

    /** Reads it, within the time. */
    String read(Duration longest) throws SQLException {
        position = pair.primary().valueWithin(pair.dialect().position(), longest);
        return position;
    }

    /**
     * Ensures that the old primary is read-only and that no other transaction followed it.
     *
     * @throws StepFailure if it is not, or one did
     */
    void ensureLast() throws SQLException, StepFailure {
        if (!ServerQueries.isOn(pair.primary().value(pair.dialect().isReadOnly()))) {
            throw new StepFailure("the old primary " + pair.primaryAddress() + " is not read-only any more: somebody"
                    + " has set it writable meanwhile");
        }
        String now = pair.primary().value(pair.dialect().position());
        if (!now.equals(position)) {
            throw new StepFailure("somebody wrote to the old primary " + pair.primaryAddress()
                    + " although it is read-only: it was at " + position + " and is at " + now + ", and "
                    + pair.standby().name() + " lacks the difference. Take READ ONLY ADMIN (SUPER) from that account");
        }
    }
}
