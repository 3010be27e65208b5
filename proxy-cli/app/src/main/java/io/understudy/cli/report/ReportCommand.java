package io.understudy.cli.report;

import io.understudy.option.AdminOptions;
import io.understudy.report.ConnectedClients;
import io.understudy.report.ReportText;
import io.understudy.terminal.Subcommand;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Reports about a running proxy, a standby, the primary's binary log, or files. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        subcommands = {
            DigestReportCommand.class,
            LostReportCommand.class,
            OutcomesReportCommand.class,
            PagesReportCommand.class
        },
        description = "Report on a running proxy, a standby, the primary's binary log, or binary log files.")
public final class ReportCommand implements Subcommand, Runnable {
    private @Nullable CommandSpec spec;

    @Spec
    void reports(CommandSpec spec) {
        this.spec = spec;
        ViewReport.add(
                spec,
                ReportText.MIRROR,
                "Say what a running proxy mirrors to each standby: rules and their samples, outcomes, what is dropped"
                        + " or skipped and why, how cold each standby is, and the statements that are slower there.");
        ViewReport.add(
                spec,
                ReportText.COMMITS,
                "Say what commits through a running proxy cost, which share is the wait for a replica's"
                        + " acknowledgement, which could have been lost, and what more of them would need.");
        ViewReport.add(
                spec,
                ReportText.SESSIONS,
                "Say which clients are connected to a running proxy, by user and host, and what they are doing.");
        ViewReport.add(
                spec,
                ReportText.DOMAINS,
                "Say what a running proxy tags or would tag, which tables conflict, and how far standbys are.");
        ViewReport.add(
                spec,
                ReportText.FAILOVER,
                "Say what each change of the primary did to the clients: latencies before and after, the time until"
                        + " they were steady, and errors.",
                "Latencies of digests need the plugin query-log.");
    }

    @Override
    public void run() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        throw new CommandLine.ParameterException(
                line,
                "Missing report: one of "
                        + String.join(", ", line.getSubcommands().keySet()) + "; -h tells about them");
    }

    /** Shows a view of a running proxy: the report of the view's name. */
    @Command(mixinStandardHelpOptions = true)
    static final class ViewReport extends PrintedReport {
        @Mixin
        private final AdminOptions proxy = new AdminOptions();

        private final String view;

        private ViewReport(ReportText text) {
            super(text == ReportText.SESSIONS ? view -> text.of(ConnectedClients.of(view)) : text::of);
            this.view = text.name().toLowerCase(Locale.ROOT);
        }

        /** Adds the command to {@code report}. */
        static void add(CommandLine.Model.CommandSpec report, ReportText text, String... description) {
            ViewReport command = new ViewReport(text);
            CommandLine line = new CommandLine(command);
            line.getCommandSpec().usageMessage().description(description);
            report.addSubcommand(command.view, line);
        }

        @Override
        Map<String, Object> report(CommandLine line) throws Exception {
            return proxy.client(line).view(view);
        }
    }
}
