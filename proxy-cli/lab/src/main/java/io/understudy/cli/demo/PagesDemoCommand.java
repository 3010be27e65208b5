package io.understudy.cli.demo;

import io.understudy.demo.pages.PagesDemo;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The experiment on half-empty pages. */
@Command(
        name = "pages",
        mixinStandardHelpOptions = true,
        description = {
            "Show on embedded servers what half-empty pages cost a standby: report, rebuild under load, report.",
            "Ends with 0 only if a quarter of the pages was saved, the lag stayed below 250 ms, nothing was logged"
                    + " and the tables are equal."
        })
public final class PagesDemoCommand extends CliCommand {
    @Option(names = "--rows", defaultValue = "200000", description = "Rows of the table (default: ${DEFAULT-VALUE}).")
    private int rows;

    @Option(
            names = "--updates",
            defaultValue = "500",
            description = "Updates a second meanwhile (default: ${DEFAULT-VALUE}).")
    private int updates;

    @Override
    protected int run(CommandLine line) throws Exception {
        if (rows < 1 || updates < 1) {
            throw new CommandLine.ParameterException(line, "--rows and --updates must be 1 or more");
        }
        Logging.quiet();
        return new PagesDemo(rows, updates, line.getOut()).run()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }
}
