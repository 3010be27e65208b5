package io.understudy.cli.demo;

import io.understudy.demo.failover.FailoverDemo;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The day of the failover. */
@Command(
        name = "failover",
        mixinStandardHelpOptions = true,
        description = {
            "Show on embedded servers a planned change of the primary under load, then a primary that is killed while"
                    + " its standby is cut off: held time, errors, the list of lost transactions, the rescue, and the"
                    + " checksum after it. The replay needs the programs mariadb-binlog and mariadb.",
            "Ends with 0 only if the planned change lost nothing, the list was what was missing, and the rescue brought"
                    + " back all that was captured."
        })
public final class FailoverDemoCommand extends CliCommand {
    @Option(names = "--sessions", defaultValue = "8", description = "Sessions that write (default: ${DEFAULT-VALUE}).")
    private int sessions;

    @Option(
            names = "--transactions",
            defaultValue = "1000",
            description = "Transactions before each change of the primary (default: ${DEFAULT-VALUE}).")
    private int transactions;

    @Override
    protected int run(CommandLine line) throws Exception {
        if (sessions < 1 || transactions < 1) {
            throw new CommandLine.ParameterException(line, "--sessions and --transactions must be 1 or more");
        }
        Logging.quiet();
        return new FailoverDemo(sessions, transactions, line.getOut()).run()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }
}
