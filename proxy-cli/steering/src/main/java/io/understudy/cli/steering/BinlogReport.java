package io.understudy.cli.steering;

import io.understudy.base.Durations;
import io.understudy.config.LoadedConfig;
import io.understudy.option.ConfigFile;
import io.understudy.option.ReportOutput;
import io.understudy.option.TimeConverter;
import io.understudy.steering.parallelism.ApplyCost;
import io.understudy.steering.parallelism.Workload;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import io.understudy.terminal.ProgressLine;
import io.understudy.terminal.ReportSubcommand;
import io.understudy.terminal.Terminal;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A report on a binary log, with the options that say where its transactions come from, and how many count. */
abstract class BinlogReport extends CliCommand implements ReportSubcommand {
    @Parameters(arity = "0..*", paramLabel = "BINLOG", description = "Binary log files in their order.")
    private @Nullable List<Path> files;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Listen to the servers of this configuration, with primary.monitor.")
    private @Nullable Path config;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "30s",
            description = "How long to listen (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration length;

    @Option(
            names = "--last",
            paramLabel = "N",
            defaultValue = "20000",
            description = "The last N transactions only; not with --admin (default: ${DEFAULT-VALUE}).")
    private int last;

    @Mixin
    private final ReportOutput output = new ReportOutput();

    /** Returns the report on transactions that were read from files. */
    abstract Map<String, Object> ofFiles(Workload workload);

    /** Returns the report of a running proxy, or null if none was asked for. */
    abstract @Nullable Map<String, Object> ofProxy(CommandLine line) throws Exception;

    /** Listens for that time and returns the report on the transactions, of which {@code workload} is to be told. */
    abstract Map<String, Object> ofServers(LoadedConfig servers, Duration time, Workload workload) throws Exception;

    /** Returns the report as text. */
    abstract String text(Map<String, Object> report);

    @Override
    protected int run(CommandLine line) throws Exception {
        output.print(line, report(line), this::text);
        return CommandLine.ExitCode.OK;
    }

    private Map<String, Object> report(CommandLine line) throws Exception {
        if (last < 1) {
            throw new CommandLine.ParameterException(line, "--last must be 1 or more");
        }
        Workload workload = new Workload(last, ApplyCost.DEFAULT);
        if (files != null && !files.isEmpty()) {
            for (Path file : files) {
                workload.read(file);
            }
            return ofFiles(workload);
        }
        Map<String, Object> ofProxy = ofProxy(line);
        if (ofProxy != null) {
            return ofProxy;
        }
        if (config != null) {
            Logging.quiet();
            return listened(line, ConfigFile.load(config), workload);
        }
        throw new CommandLine.ParameterException(
                line, "Missing what to read: give binary log files, or -c FILE to listen to its servers");
    }

    /** Says what it does and for how long, unless only a program reads: without a word it would seem to hang. */
    private Map<String, Object> listened(CommandLine line, LoadedConfig servers, Workload workload) throws Exception {
        Duration time = Objects.requireNonNull(length);
        if (line.getParseResult().hasMatchedOption("--json") && !Terminal.attached()) {
            return ofServers(servers, time, workload);
        }
        PrintWriter err = line.getErr();
        err.println("understudy: reads the binary log of "
                + servers.config().primary().address() + " for " + Durations.format(time)
                + " (--for TIME changes that); the report follows");
        try (ProgressLine progress = ProgressLine.begin(
                err, second -> second + " of " + time.toSeconds() + " s, " + workload.added() + " transactions")) {
            return ofServers(servers, time, workload);
        } finally {
            if (Terminal.attached()) {
                err.println();
            }
        }
    }
}
