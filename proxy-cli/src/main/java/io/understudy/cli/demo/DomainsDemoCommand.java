package io.understudy.cli.demo;

import io.understudy.cli.Logging;
import io.understudy.demo.domains.DomainsDemo;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The experiment on GTID domains. */
@Command(
        name = "domains",
        mixinStandardHelpOptions = true,
        description = {
            "Show on embedded servers what a GTID domain of its own does for a long ALTER, and what dependent work"
                    + " in two"
                    + " domains does to a replica without and with the guard.",
            "Ends with 0 only if the lag was cut by 10 times, the replica broke without the guard, and was equal"
                    + " with it."
        })
public final class DomainsDemoCommand implements Callable<Integer> {
    @Option(
            names = "--rows",
            defaultValue = "400000",
            description = "Rows of the table that is altered (default: ${DEFAULT-VALUE}).")
    private int rows;

    @Option(
            names = "--transactions",
            defaultValue = "10000",
            description = "Conflicting transactions for each guard (default: ${DEFAULT-VALUE}).")
    private long transactions;

    @Option(names = "--seed", defaultValue = "1", description = "Of the random load (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Logging.quiet();
        return new DomainsDemo(
                                rows,
                                transactions,
                                seed,
                                java.util.Objects.requireNonNull(spec)
                                        .commandLine()
                                        .getOut())
                        .run()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }
}
