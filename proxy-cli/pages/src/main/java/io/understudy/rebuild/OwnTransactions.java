package io.understudy.rebuild;

import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The transactions that a standby logged itself up to now, to be compared with those at the end. */
final class OwnTransactions {
    private final StandbyQueries standby;
    private final @Nullable String before;

    OwnTransactions(StandbyQueries standby) throws SQLException {
        this.standby = standby;
        this.before = standby.ownTransactions();
    }

    /**
     * Returns the difference, or why it is not known: over a connection of its own if the standby's is lost. Empty if
     * there is none, null if the server logs without GTIDs.
     */
    @Nullable
    String meanwhile(SuperReadOnly.Connecting connecting) {
        try {
            return difference(now(connecting));
        } catch (SQLException e) {
            return "not known: " + e.getMessage();
        }
    }

    private @Nullable String now(SuperReadOnly.Connecting connecting) throws SQLException {
        try {
            return standby.ownTransactions();
        } catch (SQLException lost) {
            try (Connection own = connecting.open()) {
                return new StandbyQueries(new ServerQueries(own)).ownTransactions();
            }
        }
    }

    private @Nullable String difference(@Nullable String now) {
        if (before == null || now == null) {
            return null;
        }
        return now.equals(before) ? "" : "before: '" + before + "', now: '" + now + "'";
    }

    /** Returns the line for the operator about a difference. */
    static String line(@Nullable String errant) {
        if (errant == null) {
            return "whether this server logged transactions of its own is not known: gtid_mode is off";
        }
        return errant.isEmpty()
                ? "this server logged no transaction of its own"
                : "transactions that this server logged itself meanwhile: " + errant;
    }
}
