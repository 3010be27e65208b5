package io.understudy.cli.report;

import io.understudy.option.AdminOptions;
import io.understudy.report.MirrorText;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows what a running proxy mirrors to each standby, and what it does not. */
@Command(
        name = "mirror",
        mixinStandardHelpOptions = true,
        description =
                "Say what a running proxy mirrors to each standby: rules and their samples, outcomes, what is dropped"
                        + " or skipped and why, how cold each standby is, and the statements that are slower there.")
public final class MirrorReportCommand extends PrintedReport {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    public MirrorReportCommand() {
        super(MirrorText::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        return proxy.client(line).view("mirror");
    }
}
