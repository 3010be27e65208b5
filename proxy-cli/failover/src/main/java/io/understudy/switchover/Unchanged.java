package io.understudy.switchover;

import java.io.IOException;
import java.sql.SQLException;

/**
 * Looks whether the old primary may become writable again: nobody has promoted the standby meanwhile, as a person does
 * when this program, or its machine, stands still.
 */
record Unchanged(Pair pair, Following proxy) {
    /** Returns the address of the proxy's primary. */
    interface Following {
        /**
         * Returns the address of the proxy's primary; empty if the proxy has ended.
         *
         * @throws IOException if it is not known
         */
        String primary() throws IOException, InterruptedException;
    }

    /**
     * Ensures that the proxy has not moved, and then that the standby is read-only and has its replication: what is
     * asked last is what makes two servers writable.
     *
     * @throws UndoRefused if one of these is not so
     * @throws SQLException if one does not respond: then it is not known
     */
    void ensure() throws SQLException, UndoRefused, InterruptedException {
        ensureProxyStays();
        ensureNotPromoted(", so " + left());
    }

    /**
     * Looks at the standby once more after the write: it may have been promoted between {@link #ensure} and that.
     *
     * @throws UndoRefused if it was
     * @throws SQLException if it does not respond: then it is not known
     */
    void ensureStill() throws SQLException, UndoRefused {
        ensureNotPromoted(", so the old primary " + pair.primaryAddress() + " is to be read-only again");
    }

    private String left() {
        return "the old primary " + pair.primaryAddress() + " stays read-only";
    }

    private void ensureProxyStays() throws SQLException, UndoRefused, InterruptedException {
        String present;
        try {
            present = proxy.primary();
        } catch (IOException e) {
            throw new SQLException(
                    "whether the proxy still follows " + pair.primaryAddress() + " is not known, so " + left()
                            + ". If GET /api/primary has it, or the proxy has ended, and SELECT @@GLOBAL.read_only is 1"
                            + " on " + pair.standbyAddress() + ": on " + pair.primaryAddress() + ": "
                            + pair.dialect().writable() + " (" + e.getMessage() + ")",
                    e);
        }
        // A proxy that has ended sends nobody anywhere.
        if (!present.isEmpty() && !present.equals(pair.primaryAddress().toString())) {
            throw new UndoRefused("the proxy follows " + present + " now, so " + left());
        }
    }

    private void ensureNotPromoted(String left) throws SQLException, UndoRefused {
        String to = pair.standbyAddress().toString();
        try {
            if (!pair.standby().readOnly()) {
                throw new UndoRefused(to + " is writable: somebody has promoted it" + left + ". Go on with " + to
                        + " as the primary: tell the proxy (POST /api/primary?address=" + to
                        + "), see GET /api/primary");
            }
            if (pair.standby().replications(pair.dialect()).isEmpty()) {
                throw new UndoRefused(to + " has no replication connection any more: somebody is promoting it" + left
                        + ". If nobody is, on " + pair.primaryAddress() + ": "
                        + pair.dialect().writable()
                        + ", and build the replication of " + to + " anew");
            }
        } catch (SQLException e) {
            throw new SQLException(
                    "whether " + to + " has been promoted meanwhile is not known" + left + ". If SELECT"
                            + " @@GLOBAL.read_only is 1 on " + to + ", or it is gone for good: on "
                            + pair.primaryAddress() + ": " + pair.dialect().writable() + ". If it is 0: tell the proxy,"
                            + " POST /api/primary?address=" + to + " (" + e.getMessage() + ")",
                    e);
        }
    }
}
