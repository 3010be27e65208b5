package io.understudy.plugins.mirror;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.RunningPlugin;

/** Plugin {@code mirror}: executes a sample of the sessions' reads on the standbys, to keep their caches warm. */
public final class MirrorPlugin extends RunningPlugin<MirrorConfig> {
    @Override
    public String id() {
        return "mirror";
    }

    @Override
    public Class<MirrorConfig> configType() {
        return MirrorConfig.class;
    }

    @Override
    protected PluginRun<MirrorConfig> create(PluginContext context, MirrorConfig config) {
        return new RunningMirror(context, config);
    }
}
