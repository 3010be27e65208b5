package io.understudy.cli.report;

import io.understudy.base.JsonWriter;
import io.understudy.cli.AdminOptions;
import io.understudy.report.AdminClient;
import io.understudy.report.FailoverText;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

    @Option(names = "--json", description = "The figures as JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        PrintWriter out = line.getOut();
        AdminClient admin = options.client(line);
        Map<String, Object> view = admin.view("failover");
        if (json) {
            out.println(JsonWriter.write(view));
        } else {
            out.print(FailoverText.of(view));
        }
        out.flush();
        return CommandLine.ExitCode.OK;
    }
}
