package io.understudy.plugin;

import javax.sql.DataSource;

/** One standby. */
public interface Standby {
    String name();

    /** For own questions, with the standby's account. Never for the session's event loop. */
    DataSource dataSource();

    /** Reachable and read-only at the last look. */
    StandbyState state();

    /** Opens wire connections with the standby's account. */
    ServerConnector connector();
}
