package io.understudy.cli.demo;

import io.understudy.demo.warming.WarmingDemo;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The experiment on warming a standby. */
@Command(
        name = "warming",
        mixinStandardHelpOptions = true,
        description = {
            "Show on embedded servers what mirroring does to a cold standby: restart, score, forecast, promotion.",
            "Ends with 0 only if the forecast came true, within 0.1 pages a statement or a quarter."
        })
public final class WarmingDemoCommand extends CliCommand {
    @Option(
            names = "--pool",
            paramLabel = "MIB",
            defaultValue = "80",
            description = "Buffer pool of each server in MiB; the table has four times as much"
                    + " (default: ${DEFAULT-VALUE}).")
    private int pool;

    @Option(
            names = "--seconds",
            defaultValue = "120",
            description = "Most time for warming the standby; it ends when the adaptive sample is as low as it gets"
                    + " (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--seed", defaultValue = "1", description = "Of the random load (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    protected int run(CommandLine line) throws Exception {
        if (pool < 8 || pool > 10_000 || seconds < 1) {
            throw new CommandLine.ParameterException(line, "--pool must be 8 to 10000, --seconds 1 or more");
        }
        Logging.quiet();
        return new WarmingDemo(pool, seconds, seed, line.getOut()).run()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }
}
