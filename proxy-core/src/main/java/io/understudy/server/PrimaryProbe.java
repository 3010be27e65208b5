package io.understudy.server;

import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Probes the primary. May wait. */
@FunctionalInterface
interface PrimaryProbe {
    /**
     * The values that a probe read.
     *
     * @param version null when it could not be read
     * @param sqlMode the mode that sessions start with; null when it is not known
     */
    record Result(@Nullable String version, @Nullable String sqlMode) {
        static final Result NONE = new Result(null, null);
    }

    /**
     * Probes the primary.
     *
     * @throws SQLException when it does not respond
     * @throws IOException when no connection can be made
     */
    Result ask() throws SQLException, IOException;
}
