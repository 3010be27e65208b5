package io.understudy.cli.report;

import io.understudy.option.AdminOptions;
import io.understudy.report.SessionsText;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the clients that are connected to a running proxy. */
@Command(
        name = "sessions",
        mixinStandardHelpOptions = true,
        description = "Say which clients are connected to a running proxy, by user and host, and what they are doing.")
public final class SessionsReportCommand extends PrintedReport {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    public SessionsReportCommand() {
        super(SessionsText::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        return proxy.client(line).view("sessions");
    }
}
