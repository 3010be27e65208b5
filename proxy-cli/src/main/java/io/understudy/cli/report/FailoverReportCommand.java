package io.understudy.cli.report;

import io.understudy.cli.AdminOptions;
import io.understudy.cli.ReportOutput;
import io.understudy.report.AdminClient;
import io.understudy.report.FailoverText;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says what the last changes of the primary did to the clients of a running proxy. */
@Command(
        name = "failover",
        mixinStandardHelpOptions = true,
        description = {
            "Say what each change of the primary did to the clients: latencies before and after, the time until they"
                    + " were steady, and errors.",
            "Latencies of digests need the plugin query-log."
        })
public final class FailoverReportCommand implements Callable<Integer> {
    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Mixin
    private final ReportOutput output = new ReportOutput();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        AdminClient admin = options.client(line);
        Map<String, Object> view = admin.view("failover");
        output.print(line, view, FailoverText::of);
        return CommandLine.ExitCode.OK;
    }
}
