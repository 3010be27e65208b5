package io.understudy.cli.report;

import io.understudy.terminal.Subcommand;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Reports about a running proxy, a standby, the primary's binary log, or files. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        subcommands = {
            MirrorReportCommand.class,
            CommitsReportCommand.class,
            SessionsReportCommand.class,
            DigestReportCommand.class,
            DomainsReportCommand.class,
            LostReportCommand.class,
            FailoverReportCommand.class,
            PagesReportCommand.class
        },
        description = "Report on a running proxy, a standby, the primary's binary log, or binary log files.")
public final class ReportCommand implements Subcommand, Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        throw new CommandLine.ParameterException(
                line,
                "Missing report: one of "
                        + String.join(", ", line.getSubcommands().keySet()) + "; -h tells about them");
    }
}
