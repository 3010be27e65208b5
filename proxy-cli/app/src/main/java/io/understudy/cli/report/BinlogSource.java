package io.understudy.cli.report;

import io.understudy.base.Durations;
import io.understudy.config.UnderstudyConfig;
import io.understudy.option.ConfigFile;
import io.understudy.option.TimeConverter;
import io.understudy.option.TrustOption;
import io.understudy.plugins.binlog.BinlogFile;
import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import io.understudy.remote.AdminClient;
import io.understudy.terminal.Logging;
import io.understudy.terminal.ProgressLine;
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

/** The options of reports on a binary log: where its transactions come from, and how many of them count. */
final class BinlogSource {
    @Parameters(arity = "0..*", paramLabel = "BINLOG", description = "Binary log files in their order.")
    private @Nullable List<Path> files;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Listen to the servers of this configuration, with primary.monitor.")
    private @Nullable Path config;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "A running proxy's admin endpoint.")
    private @Nullable String admin;

    @Mixin
    private final TrustOption trust = new TrustOption();

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

    /** Makes a report of each source. */
    interface Report {
        /** Returns the report on transactions that were read from files. */
        Map<String, Object> ofFiles(Workload workload);

        Map<String, Object> ofProxy(AdminClient proxy) throws Exception;

        /**
         * Listens for that time and returns the report on the transactions, of which {@code workload} is to be told.
         */
        Map<String, Object> ofServers(UnderstudyConfig servers, Duration length, Workload workload) throws Exception;
    }

    /** Returns the report of the source that was given. Called after the command line has been parsed. */
    Map<String, Object> report(CommandLine line, Report report) throws Exception {
        if (last < 1) {
            throw new CommandLine.ParameterException(line, "--last must be 1 or more");
        }
        Workload workload = new Workload(last, ApplyCost.DEFAULT);
        if (files != null && !files.isEmpty()) {
            for (Path file : files) {
                BinlogFile.read(file, workload::add);
            }
            return report.ofFiles(workload);
        }
        if (admin != null) {
            return report.ofProxy(new AdminClient(admin, null, trust.trust(null)));
        }
        if (config != null) {
            Logging.quiet();
            return listened(line, report, ConfigFile.load(config).config(), workload);
        }
        throw new CommandLine.ParameterException(
                line, "Missing what to look at: give binary log files, -c FILE, or --admin HOST:PORT");
    }

    /** Says what it does and for how long, unless only a program reads: without a word it would seem to hang. */
    private Map<String, Object> listened(CommandLine line, Report report, UnderstudyConfig servers, Workload workload)
            throws Exception {
        Duration time = Objects.requireNonNull(length);
        if (line.getParseResult().hasMatchedOption("--json") && !Terminal.attached()) {
            return report.ofServers(servers, time, workload);
        }
        PrintWriter err = line.getErr();
        err.println("understudy: reads the binary log of " + servers.primary().address() + " for "
                + Durations.format(time) + " (--for TIME changes that); the report follows");
        try (ProgressLine progress = ProgressLine.begin(
                err, second -> second + " of " + time.toSeconds() + " s, " + workload.added() + " transactions")) {
            return report.ofServers(servers, time, workload);
        } finally {
            if (Terminal.attached()) {
                err.println();
            }
        }
    }
}
