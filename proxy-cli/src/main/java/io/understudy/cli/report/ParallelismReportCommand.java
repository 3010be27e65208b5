package io.understudy.cli.report;

import io.understudy.cli.Logging;
import io.understudy.cli.TimeConverter;
import io.understudy.config.ConfigLoader;
import io.understudy.plugins.binlog.BinlogFile;
import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.ParallelismReport;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import io.understudy.report.AdminClient;
import io.understudy.report.LiveBinlog;
import io.understudy.report.ParallelismText;
import io.understudy.runtime.PluginTypes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Simulates parallel apply of a binary log. */
@Command(
        name = "parallelism",
        mixinStandardHelpOptions = true,
        description = {
            "Say what parallel apply can gain: commit groups, simulated speedups for 1 to 40 threads, long"
                    + " transactions.",
            "Of binary log files; or of the primary's binary log, listened to for a while (-c); or of what a running"
                    + " proxy"
                    + " has seen (--admin)."
        })
public final class ParallelismReportCommand implements Callable<Integer> {
    private static final double SHORTEST_LONG = 0.02;

    @Parameters(arity = "0..*", paramLabel = "BINLOG", description = "Binary log files in their order.")
    private @Nullable List<Path> files;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Listen to the primary of this configuration, with primary.monitor.")
    private @Nullable Path config;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "A running proxy's admin endpoint.")
    private @Nullable String admin;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "30s",
            description = "How long to listen (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration length;

    @Option(
            names = "--long",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "500ms",
            description = "From which on a transaction counts as long, 20ms or more; not with --admin (default:"
                    + " ${DEFAULT-VALUE}).")
    private @Nullable Duration longFrom;

    @Option(
            names = "--last",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Look at the last N transactions only; not with --admin (default: ${DEFAULT-VALUE}).")
    private int last;

    @Mixin
    private final ReportOutput output = new ReportOutput();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        Duration from = Objects.requireNonNull(longFrom);
        if (from.toNanos() < SHORTEST_LONG * 1e9 || last < 1) {
            throw new CommandLine.ParameterException(line, "--long must be 20ms or more, and --last 1 or more");
        }
        Map<String, Object> report = report(from.toNanos() / 1_000);
        output.print(line, report, ParallelismText::of);
        return CommandLine.ExitCode.OK;
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> report(long longMicros) throws Exception {
        Workload workload = new Workload(last, ApplyCost.DEFAULT);
        List<Path> given = files;
        if (given != null && !given.isEmpty()) {
            for (Path file : given) {
                BinlogFile.read(file, workload::add);
            }
        } else if (admin != null) {
            return (Map<String, Object>) Objects.requireNonNull(
                    new AdminClient(admin, null).view("domains").get("parallelism"), "parallelism");
        } else if (config != null) {
            Logging.quiet();
            LiveBinlog.listen(
                    ConfigLoader.load(config, PluginTypes.installed().records())
                            .config()
                            .primary(),
                    Objects.requireNonNull(length),
                    workload::add);
        } else {
            throw new CommandLine.ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    "Missing what to look at: give binary log files, -c FILE, or --admin HOST:PORT");
        }
        return ParallelismReport.of(workload, longMicros);
    }
}
