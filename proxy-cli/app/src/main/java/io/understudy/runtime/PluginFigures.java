package io.understudy.runtime;

import io.understudy.ProxyServer;
import io.understudy.plugin.PluginContext;
import io.understudy.readiness.ProxyFigures;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the plugins of this process have published, for the readiness gate. Thread-safe. */
final class PluginFigures implements ProxyFigures.Source {
    private static final long PATIENCE_SECONDS = 2;

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
    public @Nullable Object lost(String standby) throws InterruptedException {
        PluginContext.Action action = proxy.published().actions().get("lost");
        if (action == null) {
            return null;
        }
        try {
            // The plugin asks the standby, which may hang; the gate has its own time.
            return CompletableFuture.supplyAsync(() -> action.run(Map.of("on", standby)))
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return null;
        }
    }
}
