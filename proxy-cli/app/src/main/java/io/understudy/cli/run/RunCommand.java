package io.understudy.cli.run;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.logging.EventLog;
import io.understudy.logging.LogWriter;
import io.understudy.option.ConfigFile;
import io.understudy.runtime.RunningProxy;
import io.understudy.terminal.Subcommand;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The proxy. SIGTERM drains, a second one ends the drain, SIGHUP or a changed file reloads. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Run the proxy. SIGTERM drains, a second one ends the drain, SIGHUP or a changed file reloads.")
public final class RunCommand implements Subcommand, Callable<Integer> {
    @Mixin
    private final ConfigFile file = new ConfigFile();

    @Option(
            names = "--replace",
            paramLabel = "PID",
            description = "Take over from this process, which runs with listen.reusePort as well: when this one"
                    + " listens, it gets SIGTERM and drains.")
    private @Nullable Long replaced;

    @Override
    public Integer call() throws Exception {
        // Not static: every command is instantiated, and the first logger fixes the level that quiet commands set.
        Logger log = LoggerFactory.getLogger(RunCommand.class);
        Path path = file.path();
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = load(path, plugins);
        EventLog.apply(loaded.config().log(), plugins.packages());
        // Closed last: what is logged to the very end, and why a start failed, appears before the process ends.
        try (LogWriter writer = EventLog.background()) {
            return run(path, plugins, loaded, log);
        }
    }

    private int run(Path path, PluginTypes plugins, LoadedConfig loaded, Logger log) throws Exception {
        Map<String, String> packages = plugins.packages();
        Predecessor predecessor = replaced == null
                ? null
                : Predecessor.of(replaced, loaded.config().listen());
        loaded.warnings().forEach(warning -> log.warn("{}", warning.headline()));
        try (RunningProxy proxy = RunningProxy.start(loaded, plugins, () -> load(path, plugins))) {
            CountDownLatch stopped = new CountDownLatch(1);
            proxy.proxy()
                    .configuration()
                    .follow("log", next -> EventLog.apply(next.config().log(), packages));
            // The admin endpoint may have been asked for a reload already.
            EventLog.apply(proxy.proxy().configuration().current().config().log(), packages);
            handle("HUP", () -> proxy.reloadSoon("SIGHUP"));
            AtomicInteger signals = new AtomicInteger();
            for (String name : new String[] {"TERM", "INT"}) {
                handle(name, () -> {
                    // Signals are counted: a drain may have begun by POST /api/drain.
                    if (signals.incrementAndGet() == 1) {
                        log.info(
                                "SIG{}: draining, after limits.drainDelay; a second one closes all sessions at once",
                                name);
                        stopped.countDown();
                    } else {
                        log.info("SIG{}: the drain ends now", name);
                        proxy.endDrain();
                    }
                });
            }
            proxy.onDrainRequest(stopped::countDown);
            ServiceManager serviceManager = ServiceManager.ofEnvironment();
            serviceManager.ready();
            if (predecessor != null) {
                predecessor.drain();
            }
            stopped.await();
            serviceManager.stopping();
            proxy.drain();
        }
        log.info("stopped");
        return 0;
    }

    private static LoadedConfig load(Path file, PluginTypes plugins) throws ConfigException {
        return ConfigLoader.load(file, plugins.records());
    }

    /**
     * Runs a task whenever a signal comes, on a thread of the JVM's.
     *
     * @param name without SIG
     */
    @SuppressWarnings("sunapi") // the JDK has no other; jdk.unsupported exports it
    static void handle(String name, Runnable task) {
        sun.misc.Signal.handle(new sun.misc.Signal(name), signal -> task.run());
    }
}
