package io.understudy.backend;

import java.sql.SQLException;

/** Asks a standby how it is. May wait. */
@FunctionalInterface
interface StandbyProbe {
    /** @throws SQLException when it does not answer */
    StandbyLook look() throws SQLException;
}
