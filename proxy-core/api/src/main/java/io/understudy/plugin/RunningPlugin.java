package io.understudy.plugin;

/**
 * A plugin whose parts are in one object, its {@link PluginRun}: before the start and after the stop it holds
 * {@link PluginRun#none}, so that it needs no fields that are null for a while.
 *
 * @param <C> the plugin's configuration
 */
public abstract class RunningPlugin<C extends Record> implements ProxyPlugin<C> {
    private volatile PluginRun<C> run = PluginRun.none();

    /**
     * Creates the plugin's work, which is started next. What has to be undone is begun by {@link PluginRun#start}.
     *
     * @throws Exception as {@link ProxyPlugin#start} does
     */
    protected abstract PluginRun<C> create(PluginContext context, C config) throws Exception;

    @Override
    public final void start(PluginContext context, C config) throws Exception {
        PluginRun<C> created = create(context, config);
        run = created;
        created.start();
    }

    @Override
    public final void reload(C config) {
        run.reload(config);
    }

    @Override
    public final SessionObserver openSession(SessionContext session) {
        return run.openSession(session);
    }

    @Override
    public final void stop() {
        PluginRun<C> ended = run;
        run = PluginRun.none();
        ended.stop();
    }
}
