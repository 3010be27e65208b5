package io.understudy.cli.demo;

import io.understudy.demo.semisync.SemiSyncExperiment;
import io.understudy.option.TimeConverter;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the cost of semi-synchronous replication per commit, on embedded servers. */
@Command(
        name = "semi-sync",
        mixinStandardHelpOptions = true,
        description =
                "Measure what a commit costs without a replica, with an asynchronous and with a semi-synchronous one.")
public final class SemiSyncCommand extends CliCommand {
    private static final long CLEAN_UP_SECONDS = 30;

    @Option(
            names = "--rtt",
            paramLabel = "TIME",
            split = ",",
            converter = TimeConverter.class,
            defaultValue = "0ms,10ms,85ms",
            description = "Round trips to the replica (default: ${DEFAULT-VALUE}).")
    private @Nullable List<Duration> rtts;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "60s",
            description = "Time for all measurements together (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration length;

    @Override
    protected int run(CommandLine line) throws Exception {
        PrintWriter out = line.getOut();
        Logging.quiet();
        SemiSyncExperiment.Options options;
        try {
            options = new SemiSyncExperiment.Options(Objects.requireNonNull(rtts), Objects.requireNonNull(length));
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, e.getMessage());
        }
        SemiSyncExperiment experiment = new SemiSyncExperiment(options, out);
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            experiment.interrupt();
            try {
                main.join(TimeUnit.SECONDS.toMillis(CLEAN_UP_SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        return experiment.run() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
}
