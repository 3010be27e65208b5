package io.understudy.plugin;

import javax.sql.DataSource;

/** Access to one standby. Thread-safe. */
public interface Standby {
    /** Returns the standby's name in the configuration, also its label in metrics. */
    String name();

    /**
     * Returns connections with the standby's account. Obtaining and using one waits, so never do it on an event loop.
     */
    DataSource dataSource();

    /**
     * Lets {@link #dataSource} return new connections from now on: an open one never sees a later GRANT. Thread-safe;
     * does not block.
     */
    default void renewConnections() {}

    /** Returns the result of the last probe. */
    StandbyState state();

    /** Returns whether this server is the present primary: it has been promoted, and the proxy has followed. */
    default boolean isPrimary() {
        return false;
    }

    /** Returns a connector with the standby's account. */
    ServerConnector connector();
}
