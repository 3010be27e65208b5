package io.understudy.cli.report;

import io.understudy.lost.MissingView;
import io.understudy.report.ReportText;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the transactions that a new primary lacks, from a running proxy's black box. */
@Command(
        name = "lost",
        mixinStandardHelpOptions = true,
        description = "Say which transactions the new primary lacks, by a running proxy's black box.")
public final class LostReportCommand extends PrintedReport {
    @Mixin
    private final LostOptions options = new LostOptions();

    @Option(
            names = "--compared",
            description = "The tables of the server of --on were compared with those of the primary, or it was built"
                    + " anew: what its position alone implies counts as applied from now on.")
    private boolean compared;

    public LostReportCommand() {
        super(ReportText.LOST::of);
    }

    @Override
    int exitCode(Map<String, Object> report) {
        return new MissingView(report).isLoss() ? LostOptions.WARNS : super.exitCode(report);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        String on = options.on();
        if (!compared) {
            return options.source(line).lost(on);
        }
        if (on == null) {
            throw new CommandLine.ParameterException(line, "--compared needs --on: the server that was compared");
        }
        return options.source(line).compared(on);
    }
}
