package io.understudy.cli.report;

import io.understudy.option.AdminOptions;
import io.understudy.report.DomainsText;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows what a running proxy tags or would tag, and the state of its guard. */
@Command(
        name = "domains",
        mixinStandardHelpOptions = true,
        description = "Say what a running proxy tags or would tag, which tables conflict, and how far standbys are.")
public final class DomainsReportCommand extends PrintedReport {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    public DomainsReportCommand() {
        super(DomainsText::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        return proxy.client(line).view("domains");
    }
}
