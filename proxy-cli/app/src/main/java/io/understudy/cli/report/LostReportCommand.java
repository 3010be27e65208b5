package io.understudy.cli.report;

import io.understudy.report.LostText;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the transactions that a new primary lacks, from a running proxy's black box. */
@Command(
        name = "lost",
        mixinStandardHelpOptions = true,
        description = "Say which transactions the new primary lacks, by a running proxy's black box.")
public final class LostReportCommand extends PrintedReport {
    @Mixin
    private final LostOptions options = new LostOptions();

    public LostReportCommand() {
        super(LostText::of);
    }

    @Override
    int exitCode(Map<String, Object> report) {
        return LostText.warns(report) ? LostOptions.WARNS : super.exitCode(report);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        return options.source(line).lost(options.on());
    }
}
