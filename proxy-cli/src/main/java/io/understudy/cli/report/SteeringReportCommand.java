package io.understudy.cli.report;

import io.understudy.base.JsonWriter;
import io.understudy.cli.Logging;
import io.understudy.cli.TimeConverter;
import io.understudy.config.ConfigLoader;
import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.plugins.binlog.BinlogFile;
import io.understudy.plugins.gtiddomain.advice.Stalls;
import io.understudy.plugins.gtiddomain.advice.SteeringAdvice;
import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import io.understudy.report.AdminClient;
import io.understudy.report.LiveBinlog;
import io.understudy.report.StandbyProbing;
import io.understudy.report.SteeringText;
import io.understudy.runtime.PluginTypes;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says what held up the standbys' appliers, and which action would help. */
@Command(
        name = "steering",
        mixinStandardHelpOptions = true,
        description = {
            "Say which statements held up the standbys, for how long, and which action would help by how much.",
            "Of a running proxy (--admin); or of the primary's binary log and the standbys, watched for a while (-c);"
                    + " or of binary log files alone. Each finding has the rule to paste."
        })
public final class SteeringReportCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "BINLOG", description = "Binary log files in their order.")
    private @Nullable List<Path> files;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Watch the primary and the standbys of this configuration, with primary.monitor.")
    private @Nullable Path config;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "A running proxy's admin endpoint.")
    private @Nullable String admin;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "30s",
            description = "How long to watch (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration length;

    @Option(
            names = "--last",
            paramLabel = "N",
            defaultValue = "20000",
            description = "The last N transactions only; not with --admin (default: ${DEFAULT-VALUE}).")
    private int last;

    @Option(names = "--json", description = "The advice as JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        if (last < 1) {
            throw new CommandLine.ParameterException(line, "--last must be 1 or more");
        }
        PrintWriter out = line.getOut();
        Map<String, Object> view = view(line);
        out.print(json ? JsonWriter.write(view) + System.lineSeparator() : SteeringText.of(view));
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    private Map<String, Object> view(CommandLine line) throws Exception {
        Workload workload = new Workload(last, ApplyCost.DEFAULT);
        List<Path> given = files;
        if (given != null && !given.isEmpty()) {
            for (Path file : given) {
                BinlogFile.read(file, workload::add);
            }
            return advice(SteeringAdvice.of(workload.entries(), List.of(), List.of(), workload.cost()));
        } else if (admin != null) {
            return new AdminClient(admin, null).view("steering");
        } else if (config != null) {
            Logging.quiet();
            return watched(
                    ConfigLoader.load(config, PluginTypes.installed().records()).config(), workload);
        }
        throw new CommandLine.ParameterException(
                line, "Missing what to look at: give binary log files, -c FILE, or --admin HOST:PORT");
    }

    private Map<String, Object> watched(UnderstudyConfig watched, Workload workload) throws Exception {
        Stalls stalls =
                new Stalls(watched.standbys().stream().map(StandbyConfig::name).toList());
        try (StandbyProbing probing = new StandbyProbing(watched.standbys(), stalls)) {
            LiveBinlog.listen(
                    watched.primary(),
                    Objects.requireNonNull(length),
                    transaction -> stalls.logged(workload.add(transaction)));
            return advice(SteeringAdvice.of(workload.entries(), probing.facts(), stalls.all(), workload.cost()));
        }
    }

    private static Map<String, Object> advice(Map<String, Object> advice) {
        return Map.of("advice", advice);
    }
}
