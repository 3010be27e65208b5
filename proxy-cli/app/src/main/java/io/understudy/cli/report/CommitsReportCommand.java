package io.understudy.cli.report;

import io.understudy.option.AdminOptions;
import io.understudy.report.CommitsText;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows what commits through a running proxy cost, and which could have been lost. */
@Command(
        name = "commits",
        mixinStandardHelpOptions = true,
        description = "Say what commits through a running proxy cost, which share is the wait for a replica's"
                + " acknowledgement, which could have been lost, and what more of them would need.")
public final class CommitsReportCommand extends PrintedReport {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    public CommitsReportCommand() {
        super(CommitsText::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        return proxy.client(line).view("commits");
    }
}
