package io.understudy.rebuild;

import io.understudy.pages.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;

/** MySQL's {@code super_read_only}, which is 0 during a rebuild and 1 again at its end. */
final class SuperReadOnly {
    private static final String RAISE = "SET GLOBAL super_read_only = 1";

    private final StandbyQueries standby;
    private final Connecting connecting;
    private final ProgressOutput journal;

    /** Opens a further connection to the same server. */
    interface Connecting {
        Connection open() throws SQLException;
    }

    SuperReadOnly(StandbyQueries standby, Connecting connecting, ProgressOutput journal) {
        this.standby = standby;
        this.connecting = connecting;
        this.journal = journal;
    }

    /** Sets it to 0. The caller calls {@link #raise} afterwards, also if this fails. */
    void lower() throws SQLException, Refused {
        standby.queries().execute("SET GLOBAL super_read_only = 0");
        if (!standby.readOnly()) {
            standby.queries().execute(RAISE);
            throw new Refused("read_only went off with super_read_only; both are on again, and nothing was done");
        }
        journal.line("super_read_only is 0 until the end, read_only stays 1; should this process be killed: " + RAISE);
    }

    /** Sets it to 1, over a connection of its own if the standby's is lost. */
    void raise() throws SQLException {
        try {
            raise(standby);
        } catch (SQLException lost) {
            try (Connection own = connecting.open()) {
                raise(new StandbyQueries(new ServerQueries(own)));
            } catch (SQLException e) {
                e.addSuppressed(lost);
                journal.line("super_read_only is still 0, as the server cannot be reached; there: " + RAISE);
                throw e;
            }
        }
    }

    /** Leaves a server alone that was made writable meanwhile: the statement would also set its read_only. */
    private void raise(StandbyQueries server) throws SQLException {
        if (!server.readOnly()) {
            journal.line("super_read_only stays 0: this server was made writable meanwhile");
            return;
        }
        server.queries().execute(RAISE);
        journal.line("super_read_only is 1 again");
    }
}
