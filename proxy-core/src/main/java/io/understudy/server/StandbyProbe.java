package io.understudy.server;

import java.sql.SQLException;

/** Asks a standby how it is. May wait. */
@FunctionalInterface
interface StandbyProbe {
    /** @throws SQLException when it does not answer */
    StandbyProbeResult look() throws SQLException;
}
