package io.understudy.plugin;

/**
 * A plugin: one instance for the life of the proxy, found by {@link java.util.ServiceLoader}. It is started only when the
 * configuration has a section of its {@link #id}.
 *
 * @param <C> the record that its section of the configuration is bound to; absent keys are passed as null, and the
 *     record's compact constructor fills in defaults and refuses what is wrong with an {@link IllegalArgumentException}
 *     whose message begins with the component's name
 */
public interface ProxyPlugin<C extends Record> {
    /** Name of the section under {@code plugins:} and label of metrics: lower case with hyphens. */
    String id();

    Class<C> configType();

    /**
     * Called once before the first session.
     *
     * @throws Exception when the plugin cannot work at all; the proxy then says so and does not start
     */
    void start(PluginContext context, C config) throws Exception;

    /**
     * A new configuration, already valid on its own. Must either take effect whole or throw and leave the old one.
     *
     * @throws IllegalArgumentException when it cannot be applied while running; the message says why
     */
    void reload(C config);

    /** Called after login, on the session's event loop. {@link SessionObserver#NONE} leaves the session alone. */
    SessionObserver openSession(SessionContext session);

    /**
     * Bits of {@link Interest} that some session's observer may have. Only {@link Interest#GTIDS} counts: whether to ask
     * the server for session tracking is decided at login, before there is an observer to ask.
     */
    default int possibleInterests() {
        return Interest.NONE;
    }

    /** Called once, after the last session is closed. */
    void stop();
}
