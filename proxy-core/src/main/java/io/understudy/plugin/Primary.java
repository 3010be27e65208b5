package io.understudy.plugin;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The primary, as plugins may use it for questions of their own. */
public interface Primary {
    /** For own questions, with the monitor account; null when none is configured. Never for the session's event loop. */
    @Nullable
    DataSource dataSource();

    /** Known after the first contact; MARIADB until then. */
    ServerFlavor flavor();

    /** A new connection on which the server's binary log can be requested, with the monitor account. */
    ServerConnector connector();
}
