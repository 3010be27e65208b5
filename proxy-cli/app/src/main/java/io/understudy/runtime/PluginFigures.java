package io.understudy.runtime;

import io.understudy.ProxyServer;
import io.understudy.plugin.PluginContext;
import io.understudy.readiness.Known;
import io.understudy.readiness.ProxyFigures;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the plugins of this process have published, for the readiness gate. Thread-safe. */
final class PluginFigures implements ProxyFigures.Source {
    private static final long PATIENCE_SECONDS = 2;

    /** Questions that a hung standby holds before the next one is refused. */
    private static final int MOST_HUNG = 4;

    private final ProxyServer proxy;
    private final ExecutorService threads;

    PluginFigures(ProxyServer proxy) {
        this.proxy = proxy;
        threads = new ThreadPoolExecutor(0, MOST_HUNG, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, "readiness-lost");
            thread.setDaemon(true);
            return thread;
        });
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
    public Known<Map<String, Object>> lost(String standby) throws InterruptedException {
        PluginContext.Action action = proxy.published().actions().get("lost/look");
        if (action == null) {
            return ProxyFigures.lost(null);
        }
        try {
            // The plugin asks the standby, which may hang; the gate has its own time.
            return ProxyFigures.lost(
                    threads.submit(() -> action.run(Map.of("on", standby))).get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            return ProxyFigures.lost(null);
        }
    }
}
