package io.understudy.backend;

import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Asks the primary whether it is there. May wait. */
@FunctionalInterface
interface PrimaryProbe {
    /**
     * @return its version, or null when it could not be asked
     * @throws SQLException when it does not answer
     * @throws IOException when it cannot be connected to
     */
    @Nullable
    String version() throws SQLException, IOException;
}
