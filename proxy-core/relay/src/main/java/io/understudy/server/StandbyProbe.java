package io.understudy.server;

import java.sql.SQLException;

/** Probes a standby. May wait. */
@FunctionalInterface
interface StandbyProbe {
    /**
     * Probes the standby.
     *
     * @throws SQLException when it does not respond
     */
    StandbyProbeResult run() throws SQLException;
}
