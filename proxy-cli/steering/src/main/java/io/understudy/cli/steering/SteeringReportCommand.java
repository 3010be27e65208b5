package io.understudy.cli.steering;

import io.understudy.config.LoadedConfig;
import io.understudy.layout.Layout;
import io.understudy.option.TrustOption;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.remote.AdminClient;
import io.understudy.steering.LiveAdvice;
import io.understudy.steering.SteeringAdvice;
import io.understudy.steering.parallelism.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reports the statements that held up the standbys' appliers, and the action that would help. */
@Command(
        name = "steering",
        mixinStandardHelpOptions = true,
        description = {
            "Say which statements held up the standbys, for how long, and which action would help by how much.",
            "Of the primary's binary log and the standbys, watched for a while (-c); or of binary log files alone."
                    + " Each finding has the rule to paste.",
            "With --admin, say what became of the statements that a running proxy's rules matched."
        })
public final class SteeringReportCommand extends BinlogReport {
    static final Layout TEXT = Layout.beside(SteeringReportCommand.class, "steering");

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "A running proxy's admin endpoint: of its rules with alter and parallel.")
    private @Nullable String admin;

    @Mixin
    private final TrustOption trust = new TrustOption();

    @Override
    Map<String, Object> ofFiles(Workload workload) {
        return advice(SteeringAdvice.of(
                workload, List.of(), List.of(), null, workload.entries().size()));
    }

    @Override
    @Nullable
    Map<String, Object> ofProxy(CommandLine line) throws Exception {
        return admin == null ? null : new AdminClient(admin, null, trust.trust(null)).view("steering");
    }

    @Override
    Map<String, Object> ofServers(LoadedConfig servers, Duration time, Workload workload) throws Exception {
        GtidDomainConfig rules =
                servers.plugins().get("gtid-domain") instanceof GtidDomainConfig section ? section : null;
        try (LiveAdvice live = new LiveAdvice(servers.config(), rules, workload)) {
            live.await(time);
            return advice(live.view());
        }
    }

    private static Map<String, Object> advice(Map<String, Object> view) {
        return Map.of("advice", view);
    }

    @Override
    String text(Map<String, Object> report) {
        return TEXT.text(report);
    }
}
