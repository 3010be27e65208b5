package io.understudy.cli.demo;

import io.understudy.demo.Demo;
import io.understudy.option.TimeConverter;
import io.understudy.terminal.Logging;
import io.understudy.terminal.Subcommand;
import io.understudy.terminal.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows all features together on embedded servers. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        subcommands = {
            SteeringDemoCommand.class,
            DialsDemoCommand.class,
            PagesDemoCommand.class,
            FailoverDemoCommand.class,
            ReplayDemoCommand.class,
            SemiSyncCommand.class,
            WarmingDemoCommand.class
        },
        description = "Run a primary, a standby, the proxy and a sample application, and report what happened.")
public final class DemoCommand implements Subcommand, Callable<Integer> {
    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "How long, for example 60s; without it until Ctrl-C.")
    private @Nullable Duration length;

    @Option(
            names = "--rtt",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "20ms",
            description = "Round trip between primary and standby (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration rtt;

    @Option(names = "--port", defaultValue = "0", description = "Port of the proxy (default: a free one).")
    private int port;

    @Option(
            names = "--admin-port",
            defaultValue = "0",
            description = "Port of the admin endpoint (default: a free one).")
    private int adminPort;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = java.util.Objects.requireNonNull(spec).commandLine().getOut();
        Logging.quiet();
        Demo demo = new Demo(
                new Demo.Options(length, java.util.Objects.requireNonNull(rtt), port, adminPort, Terminal.attached()),
                out);
        return demo.run() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
}
