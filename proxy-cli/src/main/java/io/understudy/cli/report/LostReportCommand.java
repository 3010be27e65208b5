package io.understudy.cli.report;

import io.understudy.cli.ReportOutput;
import io.understudy.report.LostText;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lists the transactions that a new primary lacks, from a running proxy's black box. */
@Command(
        name = "lost",
        mixinStandardHelpOptions = true,
        description = "Say which transactions the new primary lacks, by a running proxy's black box.")
public final class LostReportCommand implements Callable<Integer> {
    @Mixin
    private final LostOptions options = new LostOptions();

    @Mixin
    private final ReportOutput output = new ReportOutput();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        Map<String, Object> view = options.source(line).lost(options.on());
        output.print(line, view, LostText::of);
        return CommandLine.ExitCode.OK;
    }
}
