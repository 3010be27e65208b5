package io.understudy.server;

import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Probes a primary, or a candidate for it. May wait for about a second. */
@FunctionalInterface
interface PrimaryProbe extends AutoCloseable {
    /**
     * The values that a probe read.
     *
     * @param version null when it could not be read
     * @param sqlMode the mode that sessions start with; null when it is not known
     * @param readOnly null when it could not be read
     * @param identity tells two servers apart, whatever their addresses; null when it could not be read
     */
    record Result(
            @Nullable String version,
            @Nullable String sqlMode,
            @Nullable Boolean readOnly,
            @Nullable String identity) {
        static final Result NONE = new Result(null, null, null, null);
    }

    /**
     * Probes the server.
     *
     * @throws SQLException when it does not respond, or rejects the account
     * @throws IOException when no connection can be made
     */
    Result run() throws SQLException, IOException;

    /** Releases the probe's connection. */
    @Override
    default void close() {}
}
