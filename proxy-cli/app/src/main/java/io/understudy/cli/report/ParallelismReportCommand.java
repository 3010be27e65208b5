package io.understudy.cli.report;

import io.understudy.config.UnderstudyConfig;
import io.understudy.option.TimeConverter;
import io.understudy.plugins.gtiddomain.parallelism.ParallelismReport;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import io.understudy.remote.AdminClient;
import io.understudy.report.LiveBinlog;
import io.understudy.report.ParallelismText;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
public final class ParallelismReportCommand extends PrintedReport implements BinlogSource.Report {
    private static final Duration SHORTEST_LONG = Duration.ofMillis(20);

    @Mixin
    private final BinlogSource source = new BinlogSource();

    @Option(
            names = "--long",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "500ms",
            description = "From which on a transaction counts as long, 20ms or more; not with --admin (default:"
                    + " ${DEFAULT-VALUE}).")
    private Duration longFrom = Duration.ZERO;

    public ParallelismReportCommand() {
        super(ParallelismText::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        if (longFrom.compareTo(SHORTEST_LONG) < 0) {
            throw new CommandLine.ParameterException(line, "--long must be 20ms or more");
        }
        return source.report(line, this);
    }

    @Override
    public Map<String, Object> ofFiles(Workload workload) {
        return ParallelismReport.of(workload, longFrom.toNanos() / 1_000);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map<String, Object> ofProxy(AdminClient proxy) throws Exception {
        return (Map<String, Object>)
                Objects.requireNonNull(proxy.view("domains").get("parallelism"), "parallelism");
    }

    @Override
    public Map<String, Object> ofServers(UnderstudyConfig servers, Duration length, Workload workload)
            throws Exception {
        LiveBinlog.listen(servers.primary(), length, workload::add);
        return ofFiles(workload);
    }
}
