package io.understudy.runtime;

import io.understudy.ProxyServer;
import io.understudy.plugin.PluginContext;
import io.understudy.readiness.ProxyFigures;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the plugins of this process have published, for the readiness gate. Thread-safe. */
final class PluginFigures implements ProxyFigures.Source {
    private final ProxyServer proxy;

    PluginFigures(ProxyServer proxy) {
        this.proxy = proxy;
    }

    @Override
    public @Nullable Object view(String name) {
        if (name.equals("standbys")) {
            return proxy.standbysView();
        }
        Supplier<Object> view = proxy.published().views().get(name);
        return view == null ? null : view.get();
    }

    @Override
    public @Nullable Object lost(String standby) {
        PluginContext.Action action = proxy.published().actions().get("lost");
        return action == null ? null : action.run(Map.of("on", standby));
    }
}
