package io.understudy.plugin;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plugin, found by {@link java.util.ServiceLoader}. One instance runs at a time. It is started when the configuration
 * has a section named {@link #id}, at the proxy's start or by a reload, and stopped when a reload removes the section,
 * or with the proxy. An instance is started once: a section that comes back gets a new instance, by the public
 * constructor without parameters. {@link #start}, {@link #reload} and {@link #stop} are called on the proxy's
 * management thread, one at a time; {@link #stop} on another if a session took long to leave the plugin.
 *
 * @param <C> the record that the plugin's section of the configuration is bound to; absent keys are passed as null, and
 *     the record's compact constructor sets defaults and rejects bad values with an {@link IllegalArgumentException}
 *     whose message begins with the component's name
 */
public interface ProxyPlugin<C extends Record> {
    /** Returns the section's name under {@code plugins:}, also the label in metrics: lower case with hyphens. */
    String id();

    /** Returns the class of the record that the plugin's section is bound to. */
    Class<C> configType();

    /**
     * Reports what on a server is against this section, or helps it. Called by {@code understudy check --connect}, for
     * the primary and then for each standby, on an instance that is not started. Must not change the server.
     */
    default void check(C config, CheckedServer server) throws SQLException {}

    /**
     * Returns the privileges on everything that the account of {@code primary.monitor} needs for this section. One that
     * the server does not have is left out.
     */
    default List<String> monitorPrivileges(C config) {
        return List.of();
    }

    /**
     * Returns what the plugin would do with a statement. Called by {@code understudy explain}, on an instance that is
     * not started. Must open no connection.
     *
     * @param config the section, or null if the configuration has none
     */
    default PluginDecision explain(@Nullable C config, ExplainedStatement statement) {
        return PluginDecision.NONE;
    }

    /** Returns the figures about standbys that the plugin has with this section. */
    default StandbyFigures figures(C config) {
        return StandbyFigures.NONE;
    }

    /**
     * Starts the plugin. Called once, before the first session that it observes. If sessions exist by then, see
     * {@link PluginContext#olderSessions}.
     *
     * @throws Exception when the plugin cannot work at all; the proxy then reports why, and does not start or, when the
     *     section was added by a reload, goes on without it
     */
    void start(PluginContext context, C config) throws Exception;

    /**
     * Applies a new configuration, already valid on its own. It must either take effect entirely or throw and leave the
     * old one in force.
     *
     * @throws IllegalArgumentException when it cannot be applied while running; the message says why
     */
    void reload(C config);

    /**
     * Returns the observer of a new session, or {@link SessionObserver#NONE} to ignore the session. Called when the
     * server has let the client in, before the client is told, on the session's event loop. If it throws, the session
     * continues without the plugin.
     */
    SessionObserver openSession(SessionContext session);

    /**
     * Returns the {@link Interest} bits that the observer of any session may have. Only {@link Interest#GTIDS} has an
     * effect: the login decides on session tracking before there is an observer.
     */
    default int possibleInterests() {
        return Interest.NONE;
    }

    /**
     * Stops the plugin: everything that it has created, except through its context, must end. Called once, after the
     * last of its observers was closed, or after {@link #start} has thrown.
     */
    void stop();
}
