package io.understudy.cli.report;

import io.understudy.cli.AdminOptions;
import io.understudy.cli.ReportOutput;
import io.understudy.report.AdminClient;
import io.understudy.report.DomainsText;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Shows what a running proxy tags or would tag, and the state of its guard. */
@Command(
        name = "domains",
        mixinStandardHelpOptions = true,
        description = "Say what a running proxy tags or would tag, which tables conflict, and how far standbys are.")
public final class DomainsReportCommand implements Callable<Integer> {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    @Mixin
    private final ReportOutput output = new ReportOutput();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        AdminClient client = proxy.client(line);
        Map<String, Object> view = client.view("domains");
        output.print(line, view, DomainsText::of);
        return CommandLine.ExitCode.OK;
    }
}
