package io.understudy.cli.report;

import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.plugins.gtiddomain.advice.RulesInForce;
import io.understudy.plugins.gtiddomain.advice.Stall;
import io.understudy.plugins.gtiddomain.advice.Stalls;
import io.understudy.plugins.gtiddomain.advice.StandbyFacts;
import io.understudy.plugins.gtiddomain.advice.SteeringAdvice;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import io.understudy.remote.AdminClient;
import io.understudy.report.LiveBinlog;
import io.understudy.report.StandbyProbing;
import io.understudy.report.SteeringText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Reports the statements that held up the standbys' appliers, and the action that would help. */
@Command(
        name = "steering",
        mixinStandardHelpOptions = true,
        description = {
            "Say which statements held up the standbys, for how long, and which action would help by how much.",
            "Of a running proxy (--admin); or of the primary's binary log and the standbys, watched for a while (-c);"
                    + " or of binary log files alone. Each finding has the rule to paste."
        })
public final class SteeringReportCommand extends PrintedReport implements BinlogSource.Report {
    @Mixin
    private final BinlogSource source = new BinlogSource();

    public SteeringReportCommand() {
        super(SteeringText::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        return source.report(line, this);
    }

    @Override
    public Map<String, Object> ofFiles(Workload workload) {
        return advice(workload, List.of(), List.of());
    }

    @Override
    public Map<String, Object> ofProxy(AdminClient proxy) throws Exception {
        return proxy.view("steering");
    }

    @Override
    public Map<String, Object> ofServers(UnderstudyConfig servers, Duration length, Workload workload)
            throws Exception {
        Stalls stalls =
                new Stalls(servers.standbys().stream().map(StandbyConfig::name).toList());
        try (StandbyProbing probing = new StandbyProbing(servers.standbys(), stalls)) {
            LiveBinlog.listen(servers.primary(), length, transaction -> stalls.logged(workload.add(transaction)));
            return advice(workload, probing.facts(), stalls.all());
        }
    }

    /** Of the log's transactions only the last are judged; what was measured is of all that were read. */
    private static Map<String, Object> advice(Workload workload, List<StandbyFacts> standbys, List<Stall> stalls) {
        if (workload.ofMySql()) {
            return Map.of("advice", SteeringAdvice.ofMySql());
        }
        long covered = standbys.isEmpty() ? workload.entries().size() : workload.added();
        return Map.of(
                "advice",
                SteeringAdvice.of(workload.entries(), standbys, stalls, workload.cost(), RulesInForce.NONE, covered));
    }
}
