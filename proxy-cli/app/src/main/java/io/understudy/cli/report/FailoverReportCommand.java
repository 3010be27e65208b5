package io.understudy.cli.report;

import io.understudy.option.AdminOptions;
import io.understudy.report.FailoverText;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Reports the effect of the last changes of the primary on the clients of a running proxy. */
@Command(
        name = "failover",
        mixinStandardHelpOptions = true,
        description = {
            "Say what each change of the primary did to the clients: latencies before and after, the time until they"
                    + " were steady, and errors.",
            "Latencies of digests need the plugin query-log."
        })
public final class FailoverReportCommand extends PrintedReport {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    public FailoverReportCommand() {
        super(FailoverText::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        return proxy.client(line).view("failover");
    }
}
