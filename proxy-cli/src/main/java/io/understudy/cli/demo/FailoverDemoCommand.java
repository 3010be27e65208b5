package io.understudy.cli.demo;

import io.understudy.cli.Logging;
import io.understudy.demo.failover.FailoverDemo;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
public final class FailoverDemoCommand implements Callable<Integer> {
    @Option(names = "--sessions", defaultValue = "8", description = "Sessions that write (default: ${DEFAULT-VALUE}).")
    private int sessions;

    @Option(
            names = "--transactions",
            defaultValue = "1000",
            description = "Transactions before each change of the primary (default: ${DEFAULT-VALUE}).")
    private int transactions;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        if (sessions < 1 || transactions < 1) {
            throw new CommandLine.ParameterException(line, "--sessions and --transactions must be 1 or more");
        }
        Logging.quiet();
        return new FailoverDemo(sessions, transactions, line.getOut()).run()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }
}
