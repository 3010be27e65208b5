package io.understudy.server;

import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Asks the primary whether it is there. May wait. */
@FunctionalInterface
interface PrimaryProbe {
    /**
     * What a primary said of itself.
     *
     * @param version null when it could not be asked
     * @param sqlMode what a session begins with; null when that is not to be known
     */
    record Result(@Nullable String version, @Nullable String sqlMode) {
        static final Result NONE = new Result(null, null);
    }

    /**
     * @throws SQLException when it does not answer
     * @throws IOException when it cannot be connected to
     */
    Result ask() throws SQLException, IOException;
}
