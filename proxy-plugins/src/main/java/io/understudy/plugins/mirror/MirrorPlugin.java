package io.understudy.plugins.mirror;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;

/** Plugin {@code mirror}: executes a sample of the sessions' reads on the standbys, to keep their caches warm. */
public final class MirrorPlugin implements ProxyPlugin<MirrorConfig> {
    private volatile PluginRun<MirrorConfig> running = PluginRun.none();

    @Override
    public String id() {
        return "mirror";
    }

    @Override
    public Class<MirrorConfig> configType() {
        return MirrorConfig.class;
    }

    @Override
    public void start(PluginContext context, MirrorConfig config) {
        RunningMirror mirror = new RunningMirror(context, config);
        running = mirror;
        mirror.start();
    }

    @Override
    public void reload(MirrorConfig wanted) {
        running.reload(wanted);
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return running.openSession(session);
    }

    @Override
    public void stop() {
        PluginRun<MirrorConfig> last = running;
        running = PluginRun.none();
        last.stop();
    }
}
