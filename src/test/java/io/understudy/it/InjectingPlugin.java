package io.understudy.it;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Injects one statement ahead of each client statement that allows it. */
final class InjectingPlugin implements ProxyPlugin<InjectingPlugin.Config> {
    /** The configuration, which has no keys. */
    record Config() {}

    final Queue<InjectionResult> results = new ConcurrentLinkedQueue<>();
    private final String sql;

    InjectingPlugin(String sql) {
        this.sql = sql;
    }

    @Override
    public String id() {
        return "injecting";
    }

    @Override
    public Class<Config> configType() {
        return Config.class;
    }

    @Override
    public void start(PluginContext context, Config config) {}

    @Override
    public void reload(Config config) {}

    @Override
    public void stop() {}

    @Override
    public int possibleInterests() {
        return Interest.BOUNDARY;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return new SessionObserver() {
            @Override
            public int interests() {
                return Interest.BOUNDARY;
            }

            @Override
            public @Nullable InjectedStatement beforeCommand(CommandView command) {
                return new InjectedStatement(sql, "test");
            }

            @Override
            public void onInjected(InjectedStatement statement, InjectionResult result) {
                results.add(result);
            }
        };
    }
}
