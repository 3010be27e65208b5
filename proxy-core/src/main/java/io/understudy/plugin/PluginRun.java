package io.understudy.plugin;

/**
 * The work of a plugin from its start to its stop, for plugins that keep their parts in one object: before the start
 * and after the stop they hold {@link #none} instead of fields that are null. Called as the methods of
 * {@link ProxyPlugin} with the same names are. A plugin holds its work before that begins, so that {@link #stop} also
 * ends what a start has begun that then throws.
 *
 * @param <C> the plugin's configuration
 */
public interface PluginRun<C extends Record> {
    /** Returns the work of a plugin that is not started: it ignores sessions and configurations. */
    static <C extends Record> PluginRun<C> none() {
        return new PluginRun<>() {
            @Override
            public SessionObserver openSession(SessionContext session) {
                return SessionObserver.NONE;
            }

            @Override
            public void reload(C config) {}

            @Override
            public void stop() {}
        };
    }

    /** See {@link ProxyPlugin#openSession}. */
    SessionObserver openSession(SessionContext session);

    /** See {@link ProxyPlugin#reload}. */
    void reload(C config);

    /** See {@link ProxyPlugin#stop}. */
    void stop();
}
