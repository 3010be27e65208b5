package io.understudy.cli.steering;

import io.understudy.config.LoadedConfig;
import io.understudy.layout.Layout;
import io.understudy.option.TimeConverter;
import io.understudy.steering.LiveBinlog;
import io.understudy.steering.parallelism.ParallelismReport;
import io.understudy.steering.parallelism.Workload;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Simulates parallel apply of a binary log. */
@Command(
        name = "parallelism",
        mixinStandardHelpOptions = true,
        description = {
            "Say what parallel apply can gain: commit groups, simulated speedups for 1 to 40 threads, long"
                    + " transactions.",
            "Of binary log files, or of the primary's binary log, listened to for a while (-c)."
        })
public final class ParallelismReportCommand extends BinlogReport {
    static final Layout TEXT = Layout.beside(ParallelismReportCommand.class, "parallelism");

    private static final Duration SHORTEST_LONG = Duration.ofMillis(20);

    @Option(names = "--admin", hidden = true, paramLabel = "HOST:PORT")
    private @Nullable String admin;

    @Option(
            names = "--long",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "500ms",
            description = "From which on a transaction counts as long, 20ms or more (default: ${DEFAULT-VALUE}).")
    private Duration longFrom = Duration.ZERO;

    @Override
    @Nullable
    Map<String, Object> ofProxy(CommandLine line) {
        if (admin != null) {
            throw new CommandLine.ParameterException(
                    line,
                    "--admin: the proxy does not simulate parallel apply; give binary log files, or -c FILE to listen"
                            + " to its servers");
        }
        return null;
    }

    @Override
    public Map<String, Object> ofFiles(Workload workload) {
        return ParallelismReport.of(workload, longFrom.toNanos() / 1_000);
    }

    @Override
    Map<String, Object> ofServers(LoadedConfig servers, Duration time, Workload workload) throws Exception {
        try (LiveBinlog log = new LiveBinlog(servers.config().primary(), workload, added -> {})) {
            log.await(time);
        }
        return ofFiles(workload);
    }

    @Override
    String text(Map<String, Object> report) {
        return TEXT.text(report);
    }

    @Override
    protected int run(CommandLine line) throws Exception {
        if (longFrom.compareTo(SHORTEST_LONG) < 0) {
            throw new CommandLine.ParameterException(line, "--long must be 20ms or more");
        }
        return super.run(line);
    }
}
