package io.understudy.cli.report;

import io.understudy.option.ReportOutput;
import io.understudy.terminal.CliCommand;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/** A command that makes one report and prints it. */
abstract class PrintedReport extends CliCommand {
    @Mixin
    private final ReportOutput output = new ReportOutput();

    private final Function<Map<String, Object>, String> text;

    /** @param text the report for people */
    PrintedReport(Function<Map<String, Object>, String> text) {
        this.text = text;
    }

    abstract Map<String, Object> report(CommandLine line) throws Exception;

    @Override
    protected final int run(CommandLine line) throws Exception {
        Map<String, Object> report = report(line);
        output.print(line, report, text);
        return exitCode(report);
    }

    /** Returns the program's exit code for a report that was printed. */
    int exitCode(Map<String, Object> report) {
        return CommandLine.ExitCode.OK;
    }
}
