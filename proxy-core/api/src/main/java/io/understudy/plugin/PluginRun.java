package io.understudy.plugin;

/**
 * The work of a {@link RunningPlugin} from its start to its stop. Called as the methods of {@link ProxyPlugin} with the
 * same names are.
 *
 * @param <C> the plugin's configuration
 */
public interface PluginRun<C extends Record> {
    /** Returns the work of a plugin that is not started: it ignores sessions and configurations. */
    static <C extends Record> PluginRun<C> none() {
        return new PluginRun<>() {
            @Override
            public void start() {}

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

    /** Begins the work. Called once. See {@link ProxyPlugin#start}. */
    void start() throws Exception;

    /** See {@link ProxyPlugin#openSession}. */
    SessionObserver openSession(SessionContext session);

    /** See {@link ProxyPlugin#reload}. */
    void reload(C config);

    /** Ends the work. Called once, also after {@link #start} has thrown. See {@link ProxyPlugin#stop}. */
    void stop();
}
