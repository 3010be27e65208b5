package io.understudy.switchover;

import java.io.IOException;
import java.sql.SQLException;

/**
 * Looks whether the old primary may become writable again: nobody has promoted the standby meanwhile, as a person does
 * when this program, or its machine, stands still.
 */
final class Unchanged {
    /** Returns the address of the proxy's primary. */
    interface Following {
        String primary() throws IOException, InterruptedException;
    }

    private final Pair pair;
    private final Following proxy;

    Unchanged(Pair pair, Following proxy) {
        this.pair = pair;
        this.proxy = proxy;
    }

    /**
     * Ensures that the standby is read-only and has its replication, and that the proxy has not moved.
     *
     * @throws UndoRefused if one of these is not so
     * @throws SQLException if the standby does not respond: then it is not known
     */
    void ensure() throws SQLException, UndoRefused, InterruptedException {
        String left = "the old primary " + pair.primaryAddress() + " stays read-only";
        String to = pair.standbyAddress().toString();
        try {
            if (!CheckStep.readOnly(pair.standby())) {
                throw new UndoRefused(to + " is writable: somebody has promoted it, so " + left + ". Go on with " + to
                        + " as the primary: tell the proxy (POST /api/primary?address=" + to
                        + "), see GET /api/primary");
            }
            if (pair.dialect().replications(pair.standby()).isEmpty()) {
                throw new UndoRefused(to + " has no replication connection any more: somebody is promoting it, so "
                        + left + ". If nobody is, on " + pair.primaryAddress() + ": "
                        + pair.dialect().writable()
                        + ", and build the replication of " + to + " anew");
            }
        } catch (SQLException e) {
            throw new SQLException(
                    "whether " + to + " has been promoted meanwhile is not known, so " + left + ". If SELECT"
                            + " @@GLOBAL.read_only is 1 on " + to + ", or it is gone for good: on "
                            + pair.primaryAddress() + ": " + pair.dialect().writable() + ". If it is 0: tell the proxy,"
                            + " POST /api/primary?address=" + to + " (" + e.getMessage() + ")",
                    e);
        }
        try {
            String present = proxy.primary();
            if (!present.equals(pair.primaryAddress().toString())) {
                throw new UndoRefused("the proxy follows " + present + " now, so " + left);
            }
        } catch (IOException gone) {
            // A proxy that has ended sends nobody anywhere. Both servers were asked themselves.
            return;
        }
    }
}
