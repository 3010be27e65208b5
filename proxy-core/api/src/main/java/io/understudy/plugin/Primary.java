package io.understudy.plugin;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Access to the present primary, whichever server that is, for a plugin's own queries. Thread-safe. */
public interface Primary {
    /**
     * Returns connections with the monitor account, or null when none is configured. Obtaining and using one waits, so
     * never do it on an event loop.
     */
    @Nullable
    DataSource dataSource();

    /** Returns the primary's product, known after the first contact; MARIADB until then. */
    ServerFlavor flavor();

    /** Returns a connector with the monitor account, for connections on which the binary log can be requested. */
    ServerConnector connector();

    /**
     * Returns a connector as {@link #connector}, whose connections share an event loop, and so a thread, with no other
     * connection: for what the primary itself waits for.
     */
    ServerConnector separateConnector();

    /**
     * Returns whether the last probe found that it does not respond. The proxy has then logged that with the remedy, so
     * a plugin whose own query fails logs nothing.
     */
    default boolean isUnreachable() {
        return false;
    }

    /**
     * Returns where a function reports how the monitor account fares beyond getting a connection of
     * {@link #dataSource}, which the proxy sees itself.
     *
     * @param function what does not work without it, for an operator
     */
    default AccountUse accountUse(String function) {
        return AccountUse.NONE;
    }

    /**
     * Registers a listener for changes of the primary, also where it was not known before. It is called after
     * connections made from {@link #dataSource} and {@link #connector} lead to the new one, and must not wait.
     *
     * @return removes the listener when closed
     */
    AutoCloseable onChange(Runnable listener);

    /**
     * Returns whether another server was the primary before this one, or may have been before the proxy knew of this
     * one.
     */
    default boolean mayFollow() {
        return true;
    }

    /**
     * Registers a listener for a primary that responds again after it did not, so that a plugin need not wait for the
     * end of a pause. It must not wait.
     *
     * @return removes the listener when closed
     */
    AutoCloseable onReachable(Runnable listener);
}
